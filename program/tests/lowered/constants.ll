; Constants of every kind, in variables and in code.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%node = type { ptr, i32, <{ i8, i64 }> }

@wide = global i128 -170141183460469231731687303715884105727
@wider = global i200 1606938044258990275541962092341162602522202993782792835301375
@half = global half 0xH3C01
@brain = global bfloat 0xR3F81
@single = global float 0x3FB99999A0000000
@double = global double 0x7FF0000000000007
@extended = global x86_fp80 0xK00018000000000000001
@pseudo = global x86_fp80 0xK3FFF4000000000000000
@quad = global fp128 0xL00000000000000013FFF000000000000
@text = private unnamed_addr constant [4 x i8] c"a\22\0A\00"
@numbers = constant [3 x i16] [i16 1, i16 -2, i16 3]
@floats = constant [2 x double] [double 0.1, double -0.0]
@vector = constant <2 x float> <float 1.0, float 0x7FF8000000000000>
@nodes = global [2 x %node] [%node { ptr @nodes, i32 1, <{ i8, i64 }> <{ i8 2, i64 3 }> }, %node { ptr getelementptr (i8, ptr @nodes, i64 32), i32 undef, <{ i8, i64 }> zeroinitializer }]
@empty = global {} zeroinitializer
@nothing = external global i32
@code = global ptr @user
@within = global ptr getelementptr ([2 x %node], ptr @nodes, i64 0, i64 1, i32 2, i32 1)
@number = global i64 add (i64 ptrtoint (ptr @text to i64), i64 3)
@same_object = global i64 sub (i64 ptrtoint (ptr getelementptr (i8, ptr @numbers, i64 4) to i64), i64 ptrtoint (ptr @numbers to i64))
@relative = constant [2 x i32] [i32 trunc (i64 sub (i64 ptrtoint (ptr @text to i64), i64 ptrtoint (ptr @relative to i64)) to i32), i32 5]
@fixed = global ptr inttoptr (i64 4096 to ptr)
@thread = thread_local global i32 4
@other = alias i32, getelementptr (%node, ptr @nodes, i64 0, i32 1)
@called = alias i32 (i32), ptr @user
@chosen = ifunc i32 (i32), ptr @resolver
@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @late, ptr null }, { i32, ptr, ptr } { i32 100, ptr @early, ptr null }]
@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @late, ptr null }]

define internal void @early() { ret void }
define internal void @late() { ret void }
define internal ptr @resolver() { ret ptr @user }

define i32 @user(i32 %x) {
  %1 = call i32 @called(i32 1)
  %2 = call i32 @chosen(i32 2)
  %3 = load i32, ptr @other
  %4 = add i32 %3, trunc (i64 sub (i64 ptrtoint (ptr @text to i64), i64 ptrtoint (ptr @double to i64)) to i32)
  %5 = call ptr @llvm.threadlocal.address.p0(ptr @thread)
  store <2 x ptr> <ptr @text, ptr null>, ptr %5
  store { i32, float } { i32 undef, float poison }, ptr %5
  store x86_fp80 0xK4000C000000000000000, ptr %5
  ret i32 %4
}

define i64 @distances(i1 %c) {
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %d = phi i64 [ sub (i64 ptrtoint (ptr @text to i64), i64 ptrtoint (ptr @quad to i64)), %a ], [ 0, %0 ]
  ret i64 %d
}

declare ptr @llvm.threadlocal.address.p0(ptr)
