#!/usr/bin/env bash
# The BLAS and LAPACK inside NumPy and SciPy, from PyPI, by two small scripts. python.sh [FOLDER]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
nanoscope=$(realpath "${NANOSCOPE:-$here/../../target/release/nanoscope}")
folder=${1:-$here/../../target/excvate/python}
mkdir -p "$folder"
cd "$folder"
if [ ! -x venv/bin/python ]; then
    python3 -m venv venv
    venv/bin/pip install --quiet numpy scipy
fi
cat >numpy-calls.py <<'PYTHON'
import numpy as np

rng = np.random.default_rng(1)
a, b = rng.standard_normal((4, 4)), rng.standard_normal(4)
print(np.linalg.solve(a, b), np.linalg.eigvals(a), np.linalg.svd(a)[1])
print(np.linalg.lstsq(a, b, rcond=None)[0], np.linalg.cholesky(a @ a.T + 4 * np.eye(4)))
print(np.linalg.eigvalsh(a + a.T), a @ b, b @ b, np.linalg.qr(a)[1])
PYTHON
cat >scipy-calls.py <<'PYTHON'
import numpy as np
import scipy.linalg as sl

rng = np.random.default_rng(1)
a, b = rng.standard_normal((4, 4)), rng.standard_normal(4)
print(sl.solve(a, b), sl.lu(a)[2], sl.solve_triangular(a, b), sl.svdvals(a.astype("f")))
print(sl.blas.drotmg(1.0, 2.0, 3.0, 4.0), sl.eigh(a + a.T, eigvals_only=True))
print(sl.blas.dgbmv(3, 5, 1, 1, 2.0, rng.standard_normal((3, 5)), rng.standard_normal(5)))
print(sl.lapack.dgtsv(b[:3], b, b[:3], b))
PYTHON
collections=(--prototypes blas --prototypes lapack)
# NumPy's names end in 64_, for its wide integers.
"$nanoscope" handling "${collections[@]}" --symbols 'scipy_*64_' --integers 64 --inputs-only \
    -- venv/bin/python numpy-calls.py || [ $? = 1 ]
"$nanoscope" handling "${collections[@]}" --symbols 'scipy_*' --inputs-only \
    -- venv/bin/python scipy-calls.py || [ $? = 1 ]
