/* Conversions to integers that cannot hold the value; the machine traps at few of them. */

int to_int(double x) {
    return (int)x; /* finds: conversion-out-of-range */
}

signed char to_char(float x) {
    return (signed char)x; /* finds: conversion-out-of-range */
}

unsigned char to_byte(double x) {
    return (unsigned char)x; /* finds: conversion-out-of-range */
}

unsigned long to_word(double x) {
    return (unsigned long)x; /* finds: conversion-out-of-range */
}

short checked(double x) {
    if (x > -32769.0 && x < 32768.0)
        return (short)x;
    return 0;
}

unsigned char clamped(double x) {
    if (x >= 0 && x <= 255)
        return (unsigned char)x;
    return 0;
}
