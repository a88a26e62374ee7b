/* KLEE's interface for unknown input, as Nanoscope knows it: programs written for KLEE compile
 * and are explored unchanged. */

#ifndef NANOSCOPE_KLEE_H
#define NANOSCOPE_KLEE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the bytes of an object unknown; they are an input under that name. */
void klee_make_symbolic(void *object, size_t bytes, const char *name);

/* An unknown integer from `begin` to `end`, that one left out. */
int klee_range(int begin, int end, const char *name);

/* An unknown integer. */
int klee_int(const char *name);

/* Goes on only where the condition is not zero. */
void klee_assume(uintptr_t condition);

/* Ends the path without a report. */
__attribute__((noreturn)) void klee_silent_exit(int status);

/* Ends the path with an error. */
__attribute__((noreturn)) void klee_abort(void);
__attribute__((noreturn)) void klee_report_error(const char *file, int line, const char *message,
                                                 const char *suffix);

/* An error where so many bytes at an address cannot be read. */
void klee_check_memory_access(const void *address, size_t bytes);

/* Whether a value is unknown. */
unsigned klee_is_symbolic(uintptr_t value);

/* Whether this is a native run of a test: not here. */
unsigned klee_is_replay(void);

/* One value of an unknown: a path for each. */
float klee_get_valuef(float expression);
double klee_get_valued(double expression);
long klee_get_valuel(long expression);
long long klee_get_valuell(long long expression);
int32_t klee_get_value_i32(int32_t expression);
int64_t klee_get_value_i64(int64_t expression);

size_t klee_get_obj_size(void *object);

/* `errno`, as KLEE has it for calls of its own: 0 here. */
int klee_get_errno(void);

/* Tests satisfy the condition where they can. */
void klee_prefer_cex(void *object, uintptr_t condition);
void klee_posix_prefer_cex(void *object, uintptr_t condition);

/* Calls of the first function go to the second from now on. */
void klee_alias_function(const char *function, const char *instead);

/* Without forking, one side of a branch is followed. */
void klee_set_forking(unsigned enable);

/* The value on standard error, with --echo. */
void klee_print_expr(const char *message, ...);

/* These have no effect here. */
void klee_warning(const char *message);
void klee_warning_once(const char *message);
void klee_print_range(const char *name, int argument);
void klee_stack_trace(void);
void klee_mark_global(void *object);
void klee_open_merge(void);
void klee_close_merge(void);

/* The float extension's: the rounding mode, and classification. */
enum KleeRoundingMode {
  KLEE_FP_RNE = 0, /* to nearest, ties to even */
  KLEE_FP_RNA,     /* to nearest, ties away: no mode of the machine */
  KLEE_FP_RU,      /* up */
  KLEE_FP_RD,      /* down */
  KLEE_FP_RZ,      /* toward zero */
  KLEE_FP_UNKNOWN
};
enum KleeRoundingMode klee_get_rounding_mode(void);
void klee_set_rounding_mode(enum KleeRoundingMode mode);

int klee_is_nan_float(float x);
int klee_is_nan_double(double x);
int klee_is_nan_long_double(long double x);
int klee_is_infinite_float(float x);
int klee_is_infinite_double(double x);
int klee_is_infinite_long_double(long double x);
int klee_is_normal_float(float x);
int klee_is_normal_double(double x);
int klee_is_normal_long_double(long double x);
int klee_is_subnormal_float(float x);
int klee_is_subnormal_double(double x);
int klee_is_subnormal_long_double(long double x);
float klee_abs_float(float x);
double klee_abs_double(double x);
long double klee_abs_long_double(long double x);
float klee_sqrt_float(float x);
double klee_sqrt_double(double x);
long double klee_sqrt_long_double(long double x);

__attribute__((noreturn)) void __assert_fail(const char *text, const char *file, unsigned line,
                                             const char *function)
#ifdef __cplusplus
    noexcept
#endif
    ;

/* An assertion that stays one with NDEBUG. */
#define klee_assert(condition)                                                                     \
  ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, __LINE__, __func__))

#ifdef __cplusplus
}
#endif

#endif
