// Functions of Boost.Math at double, as a program would call them.
#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/binomial.hpp>
#include <boost/math/special_functions/cbrt.hpp>
#include <boost/math/special_functions/cos_pi.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/ellint_rc.hpp>
#include <boost/math/special_functions/ellint_rf.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/expint.hpp>
#include <boost/math/special_functions/expm1.hpp>
#include <boost/math/special_functions/factorials.hpp>
#include <boost/math/special_functions/fpclassify.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/gegenbauer.hpp>
#include <boost/math/special_functions/hermite.hpp>
#include <boost/math/special_functions/hypot.hpp>
#include <boost/math/special_functions/laguerre.hpp>
#include <boost/math/special_functions/legendre.hpp>
#include <boost/math/special_functions/log1p.hpp>
#include <boost/math/special_functions/next.hpp>
#include <boost/math/special_functions/powm1.hpp>
#include <boost/math/special_functions/sign.hpp>
#include <boost/math/special_functions/sin_pi.hpp>
#include <boost/math/special_functions/sinc.hpp>
#include <boost/math/special_functions/sinhc.hpp>
#include <boost/math/special_functions/sqrt1pm1.hpp>
#include <boost/math/special_functions/acosh.hpp>
#include <boost/math/special_functions/asinh.hpp>
#include <boost/math/special_functions/atanh.hpp>
#include <boost/math/special_functions/chebyshev.hpp>
#include <boost/math/special_functions/ulp.hpp>

namespace bm = boost::math;

double b_cbrt(double x) { return bm::cbrt(x); }
double b_hypot(double x, double y) { return bm::hypot(x, y); }
double b_expm1(double x) { return bm::expm1(x); }
double b_log1p(double x) { return bm::log1p(x); }
double b_sqrt1pm1(double x) { return bm::sqrt1pm1(x); }
double b_powm1(double x, double y) { return bm::powm1(x, y); }
double b_sin_pi(double x) { return bm::sin_pi(x); }
double b_cos_pi(double x) { return bm::cos_pi(x); }
double b_sinc(double x) { return bm::sinc_pi(x); }
double b_sinhc(double x) { return bm::sinhc_pi(x); }
double b_acosh(double x) { return bm::acosh(x); }
double b_asinh(double x) { return bm::asinh(x); }
double b_atanh(double x) { return bm::atanh(x); }
double b_erf(double x) { return bm::erf(x); }
double b_erfc(double x) { return bm::erfc(x); }
double b_tgamma(double x) { return bm::tgamma(x); }
double b_lgamma(double x) { return bm::lgamma(x); }
double b_digamma(double x) { return bm::digamma(x); }
double b_gamma_p(double a, double x) { return bm::gamma_p(a, x); }
double b_beta(double a, double b) { return bm::beta(a, b); }
double b_expint(double x) { return bm::expint(x); }
double b_ellint_rc(double x, double y) { return bm::ellint_rc(x, y); }
double b_ellint_rf(double x, double y, double z) { return bm::ellint_rf(x, y, z); }
double b_factorial(unsigned n) { return bm::factorial<double>(n); }
double b_binomial(unsigned n, unsigned k) { return bm::binomial_coefficient<double>(n, k); }
double b_legendre(int n, double x) { return bm::legendre_p(n, x); }
double b_hermite(unsigned n, double x) { return bm::hermite(n, x); }
double b_laguerre(unsigned n, double x) { return bm::laguerre(n, x); }
double b_chebyshev(unsigned n, double x) { return bm::chebyshev_t(n, x); }
double b_gegenbauer(unsigned n, double lambda, double x) { return bm::gegenbauer(n, lambda, x); }
double b_float_next(double x) { return bm::float_next(x); }
double b_ulp(double x) { return bm::ulp(x); }
double b_cyl_j0(double x) { return bm::cyl_bessel_j(0, x); }
double b_sign(double x) { return bm::copysign(bm::sign(x) + 1.0, x); }
