// What the files of this folder share. They are compiled without the system's headers.

#ifndef NANOSCOPE_LIBRARY_H
#define NANOSCOPE_LIBRARY_H

// A program's own function of the same name takes precedence.
#define LIBRARY __attribute__((weak))

typedef __SIZE_TYPE__ size_t;
typedef long ssize_t;
typedef __builtin_va_list va_list;
#define va_start __builtin_va_start
#define va_arg __builtin_va_arg
#define va_copy __builtin_va_copy
#define va_end __builtin_va_end

enum { EPERM = 1, ENOENT = 2, EBADF = 9, EACCES = 13, EINVAL = 22, EMFILE = 24, EDOM = 33, ERANGE = 34 };
enum { EOF = -1 };

typedef struct {
  int descriptor;
} FILE;

int *__errno_location(void);
#define errno (*__errno_location())

void *malloc(size_t);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void free(void *);
void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t);
size_t strlen(const char *);
char *strchr(const char *, int);

int fegetround(void);
int feraiseexcept(int);
double strtod(const char *, char **);
float strtof(const char *, char **);
long double strtold(const char *, char **);

// Models of the engine's, for this folder alone.

// Notes that a path goes on with something the program does not promise.
void nanoscope_assumed(const char *what);
// Whether a value is known, without asking for one.
int nanoscope_known(unsigned long);
int nanoscope_known_float(long double);
// The value, known: a path for each that it can have.
unsigned long nanoscope_pin(unsigned long);
long double nanoscope_pin_float(long double);
// A number that neither the standard nor the model determines.
int nanoscope_unspecified(void);
// An unknown number from the first to the second, an input of the path under that name.
long nanoscope_any(const char *name, long low, long high);
// The byte of standard input at a position, or EOF.
int nanoscope_stdin(unsigned long position);
// A file that is there, by its name: its number, for the two below; -1 if there is none, -2 if
// nothing is known of it.
long nanoscope_file(const char *name);
long nanoscope_file_size(long file);
// The byte of a file at a position, or EOF.
int nanoscope_file_byte(long file, unsigned long position);
// The environment as `environ` has it, where it is stated; else null.
char **nanoscope_environment(void);
// Writes to standard output, or to standard error (descriptor 2).
void nanoscope_print(int descriptor, const char *bytes, size_t count);
// Whether there is a zero in the first bytes of a string (in all of its object, if so many
// are not there): ends the path where not. Its length where all of it is known, else -1.
long nanoscope_text(const char *s, unsigned long most);
// A known float as text, as printf's conversions a, e, f and g have it, without width: flag 1
// is printf's `#`, flag 2 says that it is a long double, no double. The bytes written.
size_t nanoscope_format(char *to, size_t capacity, long double value, int conversion,
                        int precision, int flags);

#endif
