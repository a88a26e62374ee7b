// Floats from text, correctly rounded in the current mode: strtod and its like.
//
// Up to 15 digits (7 for float, 19 for long double) and a small power of ten, one operation on
// exact operands rounds once. Everything else goes by long division of exact integers.

#include "library.h"

enum { DIGITS = 800, WORDS = 1400 };

// A text taken apart: a sign and what it is.
typedef struct {
  enum { NOTHING, ZERO, DECIMAL, HEXADECIMAL, INFINITE, NAN } kind;
  int negative;
  // The digits that count, without zeros in front, the last one not zero.
  unsigned char digit[DIGITS + 1];
  int digits;
  // The value is 0.d1d2d3... times ten (for hexadecimal, sixteen times binary) to this power.
  long exponent;
  unsigned long payload;
  const char *end;
} parsed;

// A format: precision, the exponents of the least and the largest normal number.
typedef struct {
  int precision, least, largest;
} format;

static const format single_format = {24, -126, 127};
static const format double_format = {53, -1022, 1023};
static const format extended_format = {64, -16382, 16383};

static int is_space(char c) { return (c == ' ') | ((unsigned char)(c - '\t') < 5); }

static int is_digit(char c) { return (unsigned char)(c - '0') < 10; }

static int hex_digit(char c) {
  if (is_digit(c))
    return c - '0';
  char letter = c | 32;
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

// How many characters of a word, in whatever case, a text begins with.
static int begins(const char *s, const char *word) {
  int n = 0;
  while (word[n] && (s[n] | 32) == word[n])
    n++;
  return n;
}

// A signed decimal exponent after its letter; 0 where there is none, and `*s` stays.
static long exponent(const char **s) {
  const char *at = *s + 1;
  int negative = *at == '-';
  if (*at == '-' || *at == '+')
    at++;
  if (!is_digit(*at))
    return 0;
  long value = 0;
  for (; is_digit(*at); at++) {
    if (value < 100000)
      value = value * 10 + (*at - '0');
  }
  *s = at;
  return negative ? -value : value;
}

static void keep(parsed *p, int digit) {
  if (p->digits < DIGITS)
    p->digit[p->digits++] = digit;
  else if (digit)
    p->digit[DIGITS - 1] |= 1;
}

// Digits with a point somewhere, in base 10 or 16. Says whether there was any.
static int numeral(parsed *p, const char **s, int hexadecimal) {
  int any = 0, point = 0, leading = 1;
  long place = 0;
  const char *at = *s;
  for (;; at++) {
    if (*at == '.' && !point) {
      point = 1;
      continue;
    }
    int digit = hexadecimal ? hex_digit(*at) : is_digit(*at) ? *at - '0' : -1;
    if (digit < 0)
      break;
    any = 1;
    if (leading && digit == 0) {
      // A zero in front counts only behind the point.
      place -= point;
      continue;
    }
    leading = 0;
    keep(p, digit);
    place += !point;
  }
  if (any)
    *s = at;
  p->exponent = place;
  return any;
}

static void parse(parsed *p, const char *s) {
  p->kind = NOTHING;
  p->digits = 0;
  p->exponent = 0;
  p->payload = 0;
  p->end = s;
  while (is_space(*s))
    s++;
  p->negative = *s == '-';
  if (*s == '-' || *s == '+')
    s++;
  // A number that begins with a digit is the commonest thing: asked first.
  if (!is_digit(*s) && *s != '.') {
    int n = begins(s, "infinity");
    if (n >= 3) {
      p->kind = INFINITE;
      p->end = s + (n == 8 ? 8 : 3);
      return;
    }
    if (begins(s, "nan") != 3)
      return;
    p->kind = NAN;
    p->end = s + 3;
    if (s[3] == '(') {
      const char *at = s + 4;
      while (hex_digit(*at) >= 0 || *at == '_' || ((*at | 32) >= 'a' && (*at | 32) <= 'z'))
        at++;
      if (*at == ')') {
        unsigned long strtoul(const char *, char **, int);
        char *rest;
        int before = errno;
        unsigned long payload = strtoul(s + 4, &rest, 0);
        errno = before;
        if (rest == at)
          p->payload = payload;
        p->end = at + 1;
      }
    }
    return;
  }
  if (s[0] == '0' && (s[1] | 32) == 'x' &&
      (hex_digit(s[2]) >= 0 || (s[2] == '.' && hex_digit(s[3]) >= 0))) {
    s += 2;
    numeral(p, &s, 1);
    p->exponent *= 4;
    if ((*s | 32) == 'p')
      p->exponent += exponent(&s);
    p->kind = p->digits ? HEXADECIMAL : ZERO;
  } else {
    if (!numeral(p, &s, 0))
      return;
    if ((*s | 32) == 'e')
      p->exponent += exponent(&s);
    p->kind = p->digits ? DECIMAL : ZERO;
  }
  p->end = s;
}

// Natural numbers, the least significant word first.
typedef struct {
  int words;
  unsigned word[WORDS];
} natural;

static void multiply_add(natural *n, unsigned factor, unsigned summand) {
  unsigned long carry = summand;
  for (int i = 0; i < n->words; i++) {
    carry += (unsigned long)n->word[i] * factor;
    n->word[i] = (unsigned)carry;
    carry >>= 32;
  }
  if (carry)
    n->word[n->words++] = (unsigned)carry;
}

static void multiply_by_tens(natural *n, long power) {
  for (; power >= 9; power -= 9)
    multiply_add(n, 1000000000, 0);
  for (; power > 0; power--)
    multiply_add(n, 10, 0);
}

static long bits_of(const natural *n) {
  if (!n->words)
    return 0;
  long bits = 32l * (n->words - 1);
  for (unsigned top = n->word[n->words - 1]; top; top >>= 1)
    bits++;
  return bits;
}

static void shift_left(natural *n, long by) {
  int whole = (int)(by / 32), part = (int)(by % 32);
  if (!n->words)
    return;
  if (part) {
    unsigned long carry = 0;
    for (int i = 0; i < n->words; i++) {
      carry |= (unsigned long)n->word[i] << part;
      n->word[i] = (unsigned)carry;
      carry >>= 32;
    }
    if (carry)
      n->word[n->words++] = (unsigned)carry;
  }
  if (whole) {
    for (int i = n->words - 1; i >= 0; i--)
      n->word[i + whole] = n->word[i];
    for (int i = 0; i < whole; i++)
      n->word[i] = 0;
    n->words += whole;
  }
}

static int compare(const natural *a, const natural *b) {
  if (a->words != b->words)
    return a->words < b->words ? -1 : 1;
  for (int i = a->words - 1; i >= 0; i--) {
    if (a->word[i] != b->word[i])
      return a->word[i] < b->word[i] ? -1 : 1;
  }
  return 0;
}

static void subtract(natural *a, const natural *b) {
  long borrow = 0;
  for (int i = 0; i < a->words; i++) {
    borrow += (long)a->word[i] - (i < b->words ? b->word[i] : 0);
    a->word[i] = (unsigned)borrow;
    borrow >>= 32;
  }
  while (a->words && !a->word[a->words - 1])
    a->words--;
}

// A value as an integer of the format's precision (fewer bits where it is subnormal) times two
// to a power, rounded. Says what is to be said about the range.
typedef struct {
  unsigned long significand;
  int power;
  int overflow, underflow, inexact;
} rounded;

static rounded round_quotient(natural *above, natural *below, long power, int negative,
                              const format *f) {
  rounded r = {0, 0, 0, 0, 0};
  // The quotient's leading bit is at `top` or one below.
  long top = bits_of(above) - bits_of(below) + power;
  if (top > f->largest + 2) {
    r.overflow = r.inexact = 1;
    return r;
  }
  long last = top - f->precision;
  if (last < f->least - f->precision + 1)
    last = f->least - f->precision + 1;
  // The quotient is to be counted in units of two to `last`.
  if (last < f->least - f->precision - 200) // far below: only rounding matters
    last = f->least - f->precision + 1;
  long shift = power - last;
  if (shift >= 0)
    shift_left(above, shift);
  else
    shift_left(below, -shift);
  // At most one bit more than the precision: by subtraction from above.
  unsigned __int128 quotient = 0;
  for (int bit = f->precision + 1; bit >= 0; bit--) {
    natural multiple = *below;
    shift_left(&multiple, bit);
    if (compare(above, &multiple) >= 0) {
      subtract(above, &multiple);
      quotient |= (unsigned __int128)1 << bit;
    }
  }
  int sticky = 0;
  // One bit too many: half a unit more precisely.
  int extra = (quotient >> f->precision) != 0;
  int half, rest;
  if (extra) {
    half = (int)(quotient & 1);
    quotient >>= 1;
    last++;
    rest = above->words != 0;
  } else {
    natural twice = *above;
    shift_left(&twice, 1);
    int order = compare(&twice, below);
    half = order >= 0;
    rest = order > 0 || (order < 0 && above->words != 0);
  }
  sticky = half | rest;
  int mode = fegetround();
  int up;
  if (mode == 0)
    up = half && (rest || (quotient & 1));
  else if (mode == 0x400)
    up = negative && sticky;
  else if (mode == 0x800)
    up = !negative && sticky;
  else
    up = 0;
  quotient += up;
  if (quotient >> f->precision) {
    quotient >>= 1;
    last++;
  }
  r.inexact = sticky;
  r.significand = (unsigned long)quotient;
  r.power = (int)last;
  r.underflow = sticky && !(quotient >> (f->precision - 1));
  // Rounded up to the least normal number: tiny unless it is that with one bit more, too.
  if (up && !extra && last == f->least - f->precision + 1 &&
      quotient == (unsigned __int128)1 << (f->precision - 1)) {
    if (mode == 0) {
      natural three = *below;
      multiply_add(&three, 3, 0);
      shift_left(above, 2);
      r.underflow = compare(above, &three) < 0;
    } else {
      r.underflow = !(half && rest);
    }
  }
  r.overflow = (quotient >> (f->precision - 1)) && last + f->precision - 1 > f->largest;
  return r;
}

static rounded convert(const parsed *p, const format *f) {
  natural above, below;
  above.words = 0;
  below.words = 1;
  below.word[0] = 1;
  // Far out of any range: neither a number nor its power of ten needs writing out.
  if (p->kind == DECIMAL && (p->exponent > 5000 || p->exponent < -5200)) {
    rounded r = {0, 0, p->exponent > 0, p->exponent < 0, 1};
    int mode = fegetround();
    if (p->exponent < 0) {
      r.significand = (mode == 0x800 && !p->negative) || (mode == 0x400 && p->negative);
      r.power = f->least - f->precision + 1;
    }
    return r;
  }
  if (p->kind == DECIMAL) {
    for (int i = 0; i < p->digits; i++)
      multiply_add(&above, 10, p->digit[i]);
    long tens = p->exponent - p->digits;
    if (tens >= 0)
      multiply_by_tens(&above, tens);
    else
      multiply_by_tens(&below, -tens);
    return round_quotient(&above, &below, 0, p->negative, f);
  }
  // Forty digits and a mark for the rest are more than any precision.
  int digits = p->digits < 40 ? p->digits : 40;
  for (int i = 0; i < digits; i++)
    multiply_add(&above, 16, p->digit[i]);
  long power = p->exponent - 4l * digits;
  if (p->digits > 40) {
    multiply_add(&above, 16, 1);
    power -= 4;
  }
  if (power > 40000 || power < -40000) {
    rounded r = {0, f->least - f->precision + 1, power > 0, power < 0, 1};
    int mode = fegetround();
    if (power < 0)
      r.significand = (mode == 0x800 && !p->negative) || (mode == 0x400 && p->negative);
    return r;
  }
  return round_quotient(&above, &below, power, p->negative, f);
}

// What the rounding of a whole number in one operation would have told.
static void tell(const rounded *r) {
  if (r->overflow || r->underflow)
    errno = ERANGE;
  int flags = (r->overflow ? 8 : 0) | (r->underflow ? 16 : 0) | (r->overflow | r->inexact ? 32 : 0);
  if (flags)
    feraiseexcept(flags);
}

// The digits as one integer; for at most 19 of them.
static unsigned long together(const parsed *p) {
  unsigned long value = 0;
  for (int i = 0; i < p->digits; i++)
    value = value * 10 + p->digit[i];
  return value;
}

// Whether rounding goes away from zero where a result is too large.
static int to_infinity(int negative) {
  int mode = fegetround();
  return mode == 0 || (mode == 0x400 && negative) || (mode == 0x800 && !negative);
}

static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
static const float single_tens[] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f,
                                    1e6f, 1e7f, 1e8f, 1e9f, 1e10f};
static const long double extended_tens[] = {
    1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
    1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
    1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

// Sign, exponent and significand put together as an encoding.
static unsigned long encoding(const rounded *r, int negative, const format *f, int exponent_bits) {
  int fraction = f->precision - 1;
  unsigned long bits;
  if (r->overflow) {
    bits = ((1ul << exponent_bits) - 1) << fraction;
    if (!to_infinity(negative))
      bits--;
  } else if (!(r->significand >> fraction)) {
    bits = r->significand;
  } else {
    long exponent = r->power + fraction - f->least + 1;
    bits = ((unsigned long)exponent << fraction) + (r->significand & ((1ul << fraction) - 1));
  }
  return bits | (unsigned long)negative << (fraction + exponent_bits);
}

static double double_of_bits(unsigned long bits) {
  union {
    unsigned long bits;
    double value;
  } u = {bits};
  return u.value;
}

static float float_of_bits(unsigned bits) {
  union {
    unsigned bits;
    float value;
  } u = {bits};
  return u.value;
}

LIBRARY double strtod(const char *s, char **end) {
  parsed p;
  parse(&p, s);
  if (end)
    *end = (char *)p.end;
  switch (p.kind) {
  case NOTHING:
    return 0.0;
  case ZERO:
    return p.negative ? -0.0 : 0.0;
  case INFINITE:
    return p.negative ? -__builtin_inf() : __builtin_inf();
  case NAN:
    return double_of_bits((unsigned long)p.negative << 63 | 0x7ff8000000000000 |
                          (p.payload & 0x7ffffffffffff));
  case DECIMAL:
    if (p.digits <= 15) {
      long power = p.exponent - p.digits;
      double value = (double)(long)together(&p);
      if (p.negative)
        value = -value;
      if (power >= 0 && power <= 22)
        return value * tens[power];
      if (power < 0 && power >= -22)
        return value / tens[-power];
    }
    // fall through
  case HEXADECIMAL:
    break;
  }
  rounded r = convert(&p, &double_format);
  tell(&r);
  return double_of_bits(encoding(&r, p.negative, &double_format, 11));
}

LIBRARY float strtof(const char *s, char **end) {
  parsed p;
  parse(&p, s);
  if (end)
    *end = (char *)p.end;
  switch (p.kind) {
  case NOTHING:
    return 0.0f;
  case ZERO:
    return p.negative ? -0.0f : 0.0f;
  case INFINITE:
    return p.negative ? -__builtin_inff() : __builtin_inff();
  case NAN:
    return float_of_bits((unsigned)p.negative << 31 | 0x7fc00000 | (p.payload & 0x3fffff));
  case DECIMAL:
    if (p.digits <= 7) {
      long power = p.exponent - p.digits;
      float value = (float)(int)together(&p);
      if (p.negative)
        value = -value;
      if (power >= 0 && power <= 10)
        return value * single_tens[power];
      if (power < 0 && power >= -10)
        return value / single_tens[-power];
    }
    // fall through
  case HEXADECIMAL:
    break;
  }
  rounded r = convert(&p, &single_format);
  tell(&r);
  return float_of_bits((unsigned)encoding(&r, p.negative, &single_format, 8));
}

typedef union {
  struct {
    unsigned long significand;
    unsigned short top;
  } parts;
  long double value;
} extended;

LIBRARY long double strtold(const char *s, char **end) {
  parsed p;
  parse(&p, s);
  if (end)
    *end = (char *)p.end;
  unsigned short sign = p.negative ? 0x8000 : 0;
  extended u = {{0, sign}};
  switch (p.kind) {
  case NOTHING:
    return 0.0L;
  case ZERO:
    return u.value;
  case INFINITE:
    u.parts.significand = 1ul << 63;
    u.parts.top = sign | 0x7fff;
    return u.value;
  case NAN:
    u.parts.significand = 3ul << 62 | (p.payload & ((1ul << 62) - 1));
    u.parts.top = sign | 0x7fff;
    return u.value;
  case DECIMAL:
    if (p.digits <= 19) {
      long power = p.exponent - p.digits;
      long double value = (long double)together(&p);
      if (p.negative)
        value = -value;
      if (power >= 0 && power <= 27)
        return value * extended_tens[power];
      if (power < 0 && power >= -27)
        return value / extended_tens[-power];
    }
    // fall through
  case HEXADECIMAL:
    break;
  }
  rounded r = convert(&p, &extended_format);
  tell(&r);
  if (r.overflow) {
    int infinite = to_infinity(p.negative);
    u.parts.significand = infinite ? 1ul << 63 : ~0ul;
    u.parts.top = sign | (infinite ? 0x7fff : 0x7ffe);
  } else {
    u.parts.significand = r.significand;
    u.parts.top = sign;
    if (r.significand >> 63)
      u.parts.top |= r.power + 63 + 16383;
  }
  return u.value;
}

LIBRARY double atof(const char *s) { return strtod(s, 0); }
