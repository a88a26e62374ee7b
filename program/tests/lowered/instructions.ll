; Every instruction that LLVM 19 has.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%pair = type { i32, double, [3 x i16] }

define i32 @integers(i32 %a, i32 %b) {
  %add = add nuw nsw i32 %a, %b
  %sub = sub i32 %add, 1
  %mul = mul nsw i32 %sub, %b
  %udiv = udiv exact i32 %mul, %b
  %sdiv = sdiv i32 %udiv, %a
  %urem = urem i32 %sdiv, 7
  %srem = srem i32 %urem, -7
  %shl = shl nuw i32 %srem, 3
  %lshr = lshr exact i32 %shl, 1
  %ashr = ashr i32 %lshr, %b
  %and = and i32 %ashr, 255
  %or = or disjoint i32 %and, 256
  %xor = xor i32 %or, -1
  %frozen = freeze i32 %xor
  ret i32 %frozen
}

define i1 @integer_comparisons(i64 %a, i64 %b, ptr %p) {
  %1 = icmp eq i64 %a, %b
  %2 = icmp ne i64 %a, %b
  %3 = icmp ugt i64 %a, %b
  %4 = icmp uge i64 %a, %b
  %5 = icmp ult i64 %a, %b
  %6 = icmp ule i64 %a, %b
  %7 = icmp sgt i64 %a, %b
  %8 = icmp sge i64 %a, %b
  %9 = icmp slt i64 %a, %b
  %10 = icmp sle i64 %a, %b
  %11 = icmp eq ptr %p, null
  %s = select i1 %1, i1 %2, i1 %11
  ret i1 %s
}

define double @floats(double %a, double %b) {
  %neg = fneg double %a
  %add = fadd double %neg, %b
  %sub = fsub fast double %add, 1.5
  %mul = fmul double %sub, 0x7FF8000000000001
  %div = fdiv double %mul, %b
  %rem = frem double %div, 3.0
  ret double %rem
}

define <2 x i1> @float_comparisons(<2 x float> %a, <2 x float> %b) {
  %f = fcmp false <2 x float> %a, %b
  %oeq = fcmp oeq <2 x float> %a, %b
  %ogt = fcmp ogt <2 x float> %a, %b
  %oge = fcmp oge <2 x float> %a, %b
  %olt = fcmp olt <2 x float> %a, %b
  %ole = fcmp ole <2 x float> %a, %b
  %one = fcmp one <2 x float> %a, %b
  %ord = fcmp ord <2 x float> %a, %b
  %ueq = fcmp ueq <2 x float> %a, %b
  %ugt = fcmp ugt <2 x float> %a, %b
  %uge = fcmp uge <2 x float> %a, %b
  %ult = fcmp ult <2 x float> %a, %b
  %ule = fcmp ule <2 x float> %a, %b
  %une = fcmp une <2 x float> %a, %b
  %uno = fcmp uno <2 x float> %a, %b
  %t = fcmp true <2 x float> %a, %b
  ret <2 x i1> %t
}

define i16 @conversions(i32 %i, double %d, float %f, ptr %p) {
  %trunc = trunc i32 %i to i16
  %zext = zext i16 %trunc to i64
  %sext = sext i16 %trunc to i64
  %narrow = fptrunc double %d to float
  %wide = fpext float %f to x86_fp80
  %si = fptosi x86_fp80 %wide to i33
  %ui = fptoui double %d to i8
  %fsi = sitofp i33 %si to half
  %fui = uitofp nneg i64 %zext to fp128
  %address = ptrtoint ptr %p to i64
  %pointer = inttoptr i64 %address to ptr
  %bits = bitcast double %d to i64
  %lanes = bitcast i64 %bits to <4 x i16>
  %lane = extractelement <4 x i16> %lanes, i32 2
  ret i16 %lane
}

define double @memory(ptr %p, i64 %n, i32 %k) {
  %x = alloca %pair, align 8
  %many = alloca double, i64 %n, align 16
  %second = getelementptr inbounds %pair, ptr %p, i64 %n, i32 2, i32 %k
  %same = getelementptr %pair, ptr %p, i64 0, i32 0
  %third = getelementptr inbounds %pair, ptr %same, i32 0, i32 1
  store i16 7, ptr %second
  %v = load volatile double, ptr %third
  store double %v, ptr %many
  fence seq_cst
  ret double %v
}

define <2 x ptr> @vector_of_addresses(ptr %p, <2 x i64> %i) {
  %a = getelementptr [4 x i32], ptr %p, <2 x i64> %i, i64 1
  ret <2 x ptr> %a
}

define i32 @atomics(ptr %p, ptr %d) {
  %1 = atomicrmw xchg ptr %p, i32 1 seq_cst
  %2 = atomicrmw nand ptr %p, i32 6 monotonic
  %3 = atomicrmw umax ptr %p, i32 9 acquire
  %4 = atomicrmw fadd ptr %d, double 1.0 seq_cst
  %5 = cmpxchg ptr %p, i32 1, i32 2 seq_cst seq_cst
  %6 = extractvalue { i32, i1 } %5, 0
  %7 = load atomic i32, ptr %p acquire, align 4
  store atomic i32 %7, ptr %p release, align 4
  ret i32 %6
}

define <4 x float> @vectors(<4 x float> %a, <4 x float> %b, i32 %k) {
  %l = extractelement <4 x float> %a, i32 %k
  %s = insertelement <4 x float> %b, float %l, i64 1
  %m = shufflevector <4 x float> %a, <4 x float> %s, <4 x i32> <i32 0, i32 5, i32 poison, i32 7>
  %h = shufflevector <4 x float> %m, <4 x float> poison, <2 x i32> <i32 3, i32 0>
  %c = fcmp olt <4 x float> %a, %m
  %r = select <4 x i1> %c, <4 x float> %a, <4 x float> %m
  ret <4 x float> %r
}

define { i32, double } @aggregates({ i32, double } %a, [2 x { i8, i8 }] %b) {
  %x = extractvalue [2 x { i8, i8 }] %b, 1, 0
  %y = zext i8 %x to i32
  %z = insertvalue { i32, double } %a, i32 %y, 0
  ret { i32, double } %z
}

define i32 @control(i32 %n) {
entry:
  %odd = trunc i32 %n to i1
  br i1 %odd, label %loop, label %choice
loop:
  ; Two phi nodes that trade places: moves happen at once.
  %a = phi i32 [ 0, %entry ], [ %b, %loop ]
  %b = phi i32 [ 1, %entry ], [ %a, %loop ]
  %i = phi i32 [ %n, %entry ], [ %j, %loop ]
  %j = add i32 %i, -1
  %done = icmp eq i32 %j, 0
  br i1 %done, label %choice, label %loop
choice:
  %r = phi i32 [ 5, %entry ], [ %a, %loop ]
  switch i32 %r, label %other [
    i32 1, label %one
    i32 2, label %one
    i32 -3, label %jump
  ]
one:
  %first = phi i32 [ %r, %choice ], [ %r, %choice ]
  ret i32 %first
jump:
  %to = select i1 %odd, ptr blockaddress(@control, %one_again), ptr blockaddress(@control, %other)
  indirectbr ptr %to, [label %one_again, label %other]
one_again:
  br label %one_end
one_end:
  ret i32 1
other:
  unreachable
}

declare void @throws()
declare i32 @personality(...)
declare i32 @variadic(ptr, ...)

define i32 @calls(ptr %f, ptr byval(%pair) align 8 %copy) personality ptr @personality {
  %1 = invoke i32 %f(double 1.0) to label %go unwind label %pad
go:
  %2 = call i32 (ptr, ...) @variadic(ptr %f, double 2.0, ptr byval(%pair) align 8 %copy)
  %3 = call i32 asm sideeffect "", "=r,0,~{memory}"(i32 %2)
  call void asm sideeffect "", "~{memory}"()
  %4 = call i32 asm "bsf $1, $0", "=r,r"(i32 %3)
  %5 = va_arg ptr %f, i32
  ret i32 %4
pad:
  %lp = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %lp
}

define void @assembler_jump() {
  callbr void asm sideeffect "jmp ${0:l}", "!i"() to label %a [label %b]
a:
  ret void
b:
  ret void
}
