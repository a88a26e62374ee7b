/* GSL's default error handler ends the process. A program that goes on after an error
 * calls gsl_set_error_handler_off(); this is that program's gsl_error. */
void gsl_error(const char *reason, const char *file, int line, int gsl_errno) {
    (void)reason, (void)file, (void)line, (void)gsl_errno;
}
