// Small fixed-size pieces of Eigen, as a program would call them.
#include <Eigen/Dense>
#include <Eigen/Geometry>

using Eigen::Map;
using Eigen::Matrix2d;
using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::Vector4d;

double e_norm(const double a[3]) { return Map<const Vector3d>(a).norm(); }
double e_stable_norm(const double a[3]) { return Map<const Vector3d>(a).stableNorm(); }
double e_dot(const double a[3], const double b[3]) {
  return Map<const Vector3d>(a).dot(Map<const Vector3d>(b));
}
void e_cross(const double a[3], const double b[3], double c[3]) {
  Map<Vector3d>(c, 3) = Map<const Vector3d>(a).cross(Map<const Vector3d>(b));
}
void e_normalized(const double a[3], double n[3]) {
  Map<Vector3d>(n, 3) = Map<const Vector3d>(a).normalized();
}
double e_det2(const double a[4]) { return Map<const Matrix2d>(a).determinant(); }
double e_det3(const double a[9]) { return Map<const Matrix3d>(a).determinant(); }
void e_inverse2(const double a[4], double b[4]) {
  Map<Matrix2d>(b, 2, 2) = Map<const Matrix2d>(a).inverse();
}
void e_inverse3(const double a[9], double b[9]) {
  Map<Matrix3d>(b, 3, 3) = Map<const Matrix3d>(a).inverse();
}
void e_product2(const double a[4], const double b[4], double c[4]) {
  Map<Matrix2d>(c, 2, 2) = Map<const Matrix2d>(a) * Map<const Matrix2d>(b);
}
void e_full_lu(const double a[4], const double b[2], double x[2]) {
  Map<Vector2d>(x, 2) = Map<const Matrix2d>(a).fullPivLu().solve(Map<const Vector2d>(b));
}
void e_partial_lu(const double a[4], const double b[2], double x[2]) {
  Map<Vector2d>(x, 2) = Map<const Matrix2d>(a).partialPivLu().solve(Map<const Vector2d>(b));
}
void e_cholesky(const double a[4], const double b[2], double x[2]) {
  Map<Vector2d>(x, 2) = Map<const Matrix2d>(a).llt().solve(Map<const Vector2d>(b));
}
void e_rotate(const double q[4], const double v[3], double r[3]) {
  Map<Vector3d>(r, 3) = Quaterniond(q[0], q[1], q[2], q[3]) * Map<const Vector3d>(v);
}
void e_quaternion(const double a[4], const double b[4], double c[4]) {
  Quaterniond p(a[0], a[1], a[2], a[3]), q(b[0], b[1], b[2], b[3]);
  Map<Vector4d>(c, 4) = (p * q).coeffs();
}
void e_axis_angle(double angle, const double axis[3], double m[9]) {
  Map<Matrix3d>(m, 3, 3) = Eigen::AngleAxisd(angle, Map<const Vector3d>(axis)).toRotationMatrix();
}
double e_distance(const double n[3], double d, const double p[3]) {
  return Eigen::Hyperplane<double, 3>(Map<const Vector3d>(n), d).signedDistance(Map<const Vector3d>(p));
}
