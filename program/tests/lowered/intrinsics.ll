; The intrinsics of C, C++ and Fortran front ends.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

define i32 @integers(i32 %a, i32 %b) {
  %1 = call i32 @llvm.abs.i32(i32 %a, i1 true)
  %2 = call i32 @llvm.ctpop.i32(i32 %1)
  %3 = call i32 @llvm.ctlz.i32(i32 %2, i1 false)
  %4 = call i32 @llvm.cttz.i32(i32 %3, i1 true)
  %5 = call i32 @llvm.bswap.i32(i32 %4)
  %6 = call i32 @llvm.bitreverse.i32(i32 %5)
  %7 = call i32 @llvm.fshl.i32(i32 %6, i32 %b, i32 3)
  %8 = call i32 @llvm.smax.i32(i32 %7, i32 %b)
  %9 = call i32 @llvm.uadd.sat.i32(i32 %8, i32 %b)
  %10 = call i32 @llvm.sshl.sat.i32(i32 %9, i32 2)
  %11 = call { i32, i1 } @llvm.smul.with.overflow.i32(i32 %10, i32 %b)
  %12 = extractvalue { i32, i1 } %11, 1
  %13 = call i8 @llvm.scmp.i8.i32(i32 %a, i32 %b)
  %14 = call i32 @llvm.expect.i32(i32 %9, i32 1)
  %15 = call i1 @llvm.is.constant.i32(i32 %a)
  %16 = select i1 %15, i32 %14, i32 %10
  ret i32 %16
}

define double @floats(double %x, double %y, i32 %n) {
  %1 = call double @llvm.sqrt.f64(double %x)
  %2 = call double @llvm.fma.f64(double %1, double %x, double %y)
  %3 = call double @llvm.fmuladd.f64(double %2, double %x, double %y)
  %4 = call double @llvm.fabs.f64(double %3)
  %5 = call double @llvm.copysign.f64(double %4, double %y)
  %6 = call double @llvm.minnum.f64(double %5, double %y)
  %7 = call double @llvm.maximum.f64(double %6, double %y)
  %8 = call double @llvm.floor.f64(double %7)
  %9 = call double @llvm.round.f64(double %8)
  %10 = call double @llvm.rint.f64(double %9)
  %11 = call double @llvm.nearbyint.f64(double %10)
  %12 = call double @llvm.sin.f64(double %11)
  %13 = call double @llvm.pow.f64(double %12, double %y)
  %14 = call double @llvm.powi.f64.i32(double %13, i32 %n)
  %15 = call double @llvm.ldexp.f64.i32(double %14, i32 %n)
  %16 = call { double, i32 } @llvm.frexp.f64.i32(double %15)
  %17 = extractvalue { double, i32 } %16, 0
  %18 = call i64 @llvm.lrint.i64.f64(double %17)
  %19 = call i64 @llvm.lround.i64.f64(double %17)
  %20 = call i8 @llvm.fptosi.sat.i8.f64(double %17)
  %21 = call i1 @llvm.is.fpclass.f64(double %17, i32 3)
  %22 = call double @llvm.canonicalize.f64(double %17)
  %23 = call i16 @llvm.convert.to.fp16.f64(double %22)
  %24 = call float @llvm.convert.from.fp16.f32(i16 %23)
  %25 = fpext float %24 to double
  ret double %25
}

define i1 @constrained(double %x, float %f, i32 %n) strictfp {
  %1 = call double @llvm.experimental.constrained.fadd.f64(double %x, double %x, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  %2 = call double @llvm.experimental.constrained.sqrt.f64(double %1, metadata !"round.tonearest", metadata !"fpexcept.strict") strictfp
  %3 = call double @llvm.experimental.constrained.fpext.f64.f32(float %f, metadata !"fpexcept.strict") strictfp
  %4 = call float @llvm.experimental.constrained.fptrunc.f32.f64(double %2, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  %5 = call i32 @llvm.experimental.constrained.fptosi.i32.f64(double %3, metadata !"fpexcept.strict") strictfp
  %6 = call double @llvm.experimental.constrained.sitofp.f64.i32(i32 %5, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  %7 = call double @llvm.experimental.constrained.floor.f64(double %6, metadata !"fpexcept.strict") strictfp
  %8 = call i1 @llvm.experimental.constrained.fcmps.f64(double %7, double %2, metadata !"ole", metadata !"fpexcept.strict") strictfp
  %9 = call i1 @llvm.experimental.constrained.fcmp.f64(double %7, double %2, metadata !"une", metadata !"fpexcept.strict") strictfp
  ret i1 %8
}

define i64 @memory(ptr %p, ptr %q, i64 %n, ...) {
  call void @llvm.lifetime.start.p0(i64 8, ptr %p)
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 %n, i1 false)
  call void @llvm.memmove.p0.p0.i64(ptr %p, ptr %q, i64 16, i1 false)
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 %n, i1 false)
  call void @llvm.va_start.p0(ptr %p)
  call void @llvm.va_copy.p0(ptr %q, ptr %p)
  call void @llvm.va_end.p0(ptr %p)
  %s = call ptr @llvm.stacksave.p0()
  call void @llvm.stackrestore.p0(ptr %s)
  %size = call i64 @llvm.objectsize.i64.p0(ptr %p, i1 false, i1 true, i1 false)
  %masked = call ptr @llvm.ptrmask.p0.i64(ptr %p, i64 -16)
  %positive = icmp sgt i64 %n, 0
  call void @llvm.assume(i1 %positive) [ "align"(ptr %p, i64 16) ]
  %mode = call i32 @llvm.get.rounding()
  call void @llvm.set.rounding(i32 %mode)
  %back = call ptr @llvm.returnaddress(i32 0)
  call void @llvm.trap()
  unreachable
}

define float @vectors(<4 x float> %v, <4 x i32> %w, ptr %p, <4 x i1> %m, <4 x ptr> %a) {
  %1 = call float @llvm.vector.reduce.fadd.v4f32(float 0.0, <4 x float> %v)
  %2 = call i32 @llvm.vector.reduce.umax.v4i32(<4 x i32> %w)
  %3 = call <4 x float> @llvm.vector.reverse.v4f32(<4 x float> %v)
  %4 = call <2 x float> @llvm.vector.extract.v2f32.v4f32(<4 x float> %3, i64 2)
  %5 = call <4 x float> @llvm.vector.insert.v4f32.v2f32(<4 x float> %3, <2 x float> %4, i64 2)
  %6 = call <2 x double> @llvm.masked.load.v2f64.p0(ptr %p, i32 8, <2 x i1> <i1 true, i1 false>, <2 x double> zeroinitializer)
  call void @llvm.masked.scatter.v4f32.v4p0(<4 x float> %5, <4 x ptr> %a, i32 4, <4 x i1> %m)
  ret float %1
}

define i32 @unknown(i32 %x) {
  %1 = call i32 @llvm.smul.fix.i32(i32 %x, i32 4, i32 2)
  ret i32 %1
}
