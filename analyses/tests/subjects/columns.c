// Lengths that nobody tells: a matrix by columns, a vector with a stride, windows.

void scale_columns(int m, int n, double *a, int lda, const double *s) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            a[i + j * lda] *= s[j];
}

double strided_sum(int n, const double *x, int incx) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i * incx];
    return sum;
}

void windows(int *n, int *hop, const double *x, int *length, double *y) {
    for (int j = 0; j < *n; j++)
        for (int i = 0; i < *length; i++)
            y[j] += x[i + j * *hop];
}
