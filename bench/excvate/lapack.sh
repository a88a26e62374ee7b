#!/usr/bin/env bash
# LAPACK 3.11's own test programs from Debian's sources, for one type, linked with Debian's
# reference LAPACK (the functions under test are in it), and small data for
# them. lapack.sh FOLDER TYPE: makes FOLDER/lapack-TYPE/{lin,eig}, with *.in beside, once.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1 type=$2
command -v gfortran >/dev/null || { echo "$0: gfortran is missing: apt-get install gfortran" >&2; exit 1; }
"$here/reference.sh" "$folder"
cd "$folder"
"$here/../debian-source.sh" lapack 3.11.0 lapack
made=lapack-$type
[ ! -f "$made/done" ] || exit 0
rm -rf "$made"
mkdir -p "$made/objects"
case $type in
s | c) precision=SC ;;
d | z) precision=DZ ;;
*) echo "$0: the type is s, d, c or z" >&2 && exit 2 ;;
esac
upper=${type^^}

# The objects that LAPACK's Makefiles name in a variable: lines that go on are joined first.
objects() {
    sed '/^ifdef USEXBLAS/,/^else/d' "lapack/TESTING/$1/Makefile" | sed ':join; /\\$/ { N; s/\\\n//; b join }' |
        sed -n "s/^$2 *+\{0,1\}= *//p" | tr -s ' \t' '\n' | grep '\.o$' | sort -u
}
compile() {
    part=$1
    shift
    for variable; do objects "$part" "$variable"; done | sort -u | sed 's/\.o$//' |
        xargs -P "$(nproc)" -I{} sh -c "source=\$(ls lapack/TESTING/$part/{}.f lapack/TESTING/$part/{}.F 2>/dev/null | head -1) &&
            gfortran -O1 -w -std=legacy -c \$source -o $made/objects/$part-{}.o"
}
compile MATGEN "${upper}MATGEN" "${precision}ATGEN"
compile LIN ALINTST "${upper}LINTST" "${precision}LNTST"
compile EIG AEIGTST "${upper}EIGTST" "${precision}IGTST"
for part in LIN EIG; do
    gfortran -o "$made/${part,,}" "$made"/objects/{"$part",MATGEN}-*.o reference/liblapack.so.3 reference/libblas.so.3 \
        -Wl,-rpath,"$PWD/reference"
done

# The drivers on small matrices; the other tests and the error exits are left out.
cat >"$made/lin.in" <<DATA
Drivers for linear equations and least squares
4                      Number of values of M
0 1 2 4                Values of M (row dimension)
4                      Number of values of N
0 1 2 4                Values of N (column dimension)
1                      Number of values of NRHS
2                      Values of NRHS (number of right hand sides)
1                      Number of values of NB
2                      Values of NB (the blocksize)
1                      Values of NX (crossover point)
1                      Number of values of RANK
50                     Values of rank (as a % of N)
30.0                   Threshold value of test ratio
F                      Put T to test the LAPACK routines
T                      Put T to test the driver routines
F                      Put T to test the error exits
${upper}GE   11
${upper}GB    8
${upper}GT   12
${upper}PO    9
${upper}PP    9
${upper}PB    8
${upper}PT   12
${upper}SY   10
${upper}SP   10
${upper}LS    6
DATA
case $type in
c | z) printf '%s\n' "${upper}HE   10" "${upper}HP   10" >>"$made/lin.in" ;;
esac
cat >"$made/sep.in" <<DATA
SEP:  symmetric eigenvalue drivers
4                                 Number of values of N
1 2 3 4                           Values of N (dimension)
1                                 Number of values of NB
2                                 Values of NB (blocksize)
2                                 Values of NBMIN (minimum blocksize)
1                                 Values of NX (crossover point)
50.0                              Threshold value
F                                 Put T to test the LAPACK routines
T                                 Put T to test the driver routines
F                                 Put T to test the error exits
1                                 Code to interpret the seed
SEP 21
DATA
cat >"$made/svd.in" <<DATA
SVD:  singular value drivers
4                                 Number of values of M
1 2 3 4                           Values of M
2 2 4 3                           Values of N
1                                 Number of parameter values
2                                 Values of NB (blocksize)
2                                 Values of NBMIN (minimum blocksize)
1                                 Values of NX (crossover point)
2                                 Values of NRHS
50.0                              Threshold value
F                                 Put T to test the LAPACK routines
T                                 Put T to test the driver routines
F                                 Put T to test the error exits
1                                 Code to interpret the seed
SVD 16
DATA
cat >"$made/ev.in" <<DATA
${upper}EV               nonsymmetric eigenvalue driver
3                 Number of matrix dimensions
1 2 4             Matrix dimensions
3 3 1 11 4 8 2 0  Parameters NB, NBMIN, NXOVER, INMIN, INWIN, INIBL, ISHFTS, IACC22
20.0              Threshold for test ratios
F
1
${upper}EV 21
DATA
rm -r "$made/objects"
touch "$made/done"
