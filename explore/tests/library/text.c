// Text and numbers: what printf writes, what strtod and scanf read, strings, sorting, chance.
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void floats(void) {
  static const double numbers[] = {0.0, -0.0, 1.0, 0.1, 123.456, 1e100, 1.5e-7, 99999.95, 2.5,
                                   1e300, 4.9e-324, -1234567.875};
  for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    double x = numbers[i];
    printf("%f %e %g %a|%.0f %.3e %#.3g %+10.2f|%-12g|%012.4f|% G\n", x, x, x, x, x, x, x, x, x, x,
           x);
    printf("%.2Lf %Lg %.17g\n", (long double)x / 3, (long double)x, x);
  }
  double zero = 0;
  printf("%f %G %5.1f|%-8f|%08f\n", 1 / zero, -1 / zero, 1 / zero, 1 / zero, 1 / zero);
}

static void integers(void) {
  printf("%d %5d|%-5d|%05d|%+d|% d|%.4d|%x %X %#x %o %#o %u\n", 42, -42, 42, -42, 42, 42, 42, 255,
         255, 255, 8, 8, 4000000000u);
  printf("%ld %lld %zu %hd %hhd %lx %c%c %% %s %.2s|%5s|%-5s|%*d\n", -1l << 63, 1ll << 62,
         (size_t)7, (short)40000, (char)200, ~0ul, 'a', 'b', "text", "text", "ab", "ab", 6, 12);
  int n = 0;
  printf("count%n\n", &n);
  printf("%d %d\n", n, printf("eleven\n"));
}

static void reading(void) {
  static const char *const texts[] = {"0.1",     "-12.5e3x", "  7",    "1e400",  "1e-400", "0x1.8p2",
                                      "nan",     "inf",      "-Infini", "",      ".",      "1e+",
                                      "123456789012345678901234567890", "4.9406564584124654e-324"};
  for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
    char *end;
    errno = 0;
    double x = strtod(texts[i], &end);
    printf("%a %d %d", x, (int)(end - texts[i]), errno);
    printf(" %a %La %d\n", strtof(texts[i], 0), (long double)(double)strtold(texts[i], 0),
           atoi(texts[i]));
  }
  static const char *const whole[] = {"42", "-0x1F", "077", "99999999999999999999", " +5z", "-", "z"};
  for (unsigned i = 0; i < sizeof whole / sizeof *whole; i++) {
    char *end;
    errno = 0;
    long a = strtol(whole[i], &end, 0);
    printf("%ld %d %d ", a, (int)(end - whole[i]), errno);
    errno = 0;
    unsigned long b = strtoul(whole[i], &end, 36);
    printf("%lu %d %d\n", b, (int)(end - whole[i]), errno);
  }
  int a = -1, b = -1, c = -1;
  char word[20] = "", set[20] = "";
  double x = 0;
  float y = 0;
  printf("%d", sscanf("12 0x1f word 3.5e2,abcXYZ", "%d %i %s %lf,%[a-c]", &a, &b, word, &x, set));
  printf(" %d %d %s %g %s\n", a, b, word, x, set);
  printf("%d", sscanf("1:2:x", "%d:%d:%d", &a, &b, &c));
  printf(" %d %d %d\n", a, b, c);
  printf("%d %d", sscanf("", "%d", &a), sscanf("  -.5f%", " %f%*c%%%n", &y, &c));
  printf(" %g %d\n", y, c);
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void strings(void) {
  char buffer[32] = "one two";
  printf("%s %s\n", strcat(strcpy(buffer, "alpha,beta;"), "gamma"), strchr(buffer, ','));
  for (char *t = strtok(buffer, ",;"); t; t = strtok(0, ",;"))
    printf("[%s]", t);
  printf(" %s %s %d %d\n", strstr("haystack", "st"), strrchr("a/b/c", '/'),
         (int)strspn("aabbc", "ab"), (int)strcspn("aabbc", "c"));
  printf("%d %d %d %d\n", strcmp("a", "b") < 0, strncmp("abc", "abd", 2), strcasecmp("ABC", "abc"),
         memcmp("abc", "abd", 3) < 0);
  for (int c = 0; c < 128; c++)
    printf("%d%d%d%d%d%d%d%d ", !!isalpha(c), !!isdigit(c), !!isspace(c), !!isupper(c),
           !!ispunct(c), !!isxdigit(c), !!isprint(c), !!iscntrl(c));
  printf("%c%c\n", toupper('q'), tolower('Q'));
  double zero = 0, a[] = {3, zero / zero, 1, 2, zero / zero, -1, 7};
  qsort(a, 7, sizeof *a, by_value);
  for (int i = 0; i < 7; i++)
    printf("%d ", a[i] == a[i] ? (int)a[i] : 99);
  div_t d = div(-7, 2);
  printf("%d %d %d %ld\n", d.quot, d.rem, abs(-5), labs(-5l));
  char small[5];
  printf("%d %s\n", snprintf(small, sizeof small, "%s-%d", "abc", 12345), small);
}

int main(void) {
  floats();
  integers();
  reading();
  strings();
  for (int i = 0; i < 5; i++)
    printf("%d ", rand());
  srand(7);
  unsigned seed = 3;
  printf("%d %d\n", rand(), rand_r(&seed));
  srand48(9);
  printf("%a %ld\n", drand48(), lrand48());
  puts("done");
  return 3;
}
