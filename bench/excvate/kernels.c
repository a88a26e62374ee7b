/* Kernels of level 2 that skip a zero of a vector, as the reference and BLIS do. With -ffast-math the
 * comparison takes a NaN for a zero. The prototypes are those of `--header kernels.h`, or of -g. */
#include <stdio.h>

/* A := alpha*x*y' + A, by columns. */
__attribute__((noinline)) void sger_c(int m, int n, float alpha, const float *x, const float *y, float *a, int lda)
{
    for (int j = 0; j < n; j++) {
        if (y[j] != 0.0f) {
            float t = alpha * y[j];
            for (int i = 0; i < m; i++)
                a[i + j * lda] += x[i] * t;
        }
    }
}

/* y := alpha*A*x + y, by columns. */
__attribute__((noinline)) void sgemv_c(int m, int n, float alpha, const float *a, int lda, const float *x, float *y)
{
    for (int j = 0; j < n; j++) {
        float t = alpha * x[j];
        if (t == 0.0f)
            continue;
        for (int i = 0; i < m; i++)
            y[i] += a[i + j * lda] * t;
    }
}

/* The same without a test: NaN reaches y. */
__attribute__((noinline)) void sgemv_plain(int m, int n, float alpha, const float *a, int lda, const float *x, float *y)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            y[i] += alpha * a[i + j * lda] * x[j];
}

int main(void)
{
    enum { M = 5, N = 4 };
    float a[M * N], x[M], y[M];
    for (int i = 0; i < M * N; i++)
        a[i] = 0.25f * (float)i - 1;
    for (int i = 0; i < M; i++)
        x[i] = (float)i - 1.5f, y[i] = 0.5f * (float)i + 1;
    sger_c(M, N, 0.5f, x, y, a, M);
    sgemv_c(M, N, 1.5f, a, M, x, y);
    sgemv_plain(M, N, 1.5f, a, M, x, y);
    printf("%g %g\n", a[7], y[3]);
    return 0;
}
