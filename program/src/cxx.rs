//! What is known of C++'s standard library by its symbols.

/// The standard library's exceptions and their bases.
pub(crate) const EXCEPTIONS: &[(&str, &str)] = &[
    ("bad_alloc", "exception"),
    ("bad_array_new_length", "bad_alloc"),
    ("bad_cast", "exception"),
    ("bad_exception", "exception"),
    ("bad_function_call", "exception"),
    ("bad_typeid", "exception"),
    ("domain_error", "logic_error"),
    ("invalid_argument", "logic_error"),
    ("length_error", "logic_error"),
    ("logic_error", "exception"),
    ("out_of_range", "logic_error"),
    ("overflow_error", "runtime_error"),
    ("range_error", "runtime_error"),
    ("runtime_error", "exception"),
    ("underflow_error", "runtime_error"),
];

/// The class that a function of the standard library throws: `std::__throw_out_of_range`.
pub(crate) fn thrown_by(symbol: &str) -> Option<&'static str> {
    let (_, rest) = symbol.strip_prefix("_ZSt")?.split_once("__throw_")?;
    // The longest name that fits: `bad_array_new_length` before `bad_a…`.
    let known = EXCEPTIONS.iter().map(|(class, _)| *class).filter(|class| rest.starts_with(class));
    known.max_by_key(|class| class.len())
}

/// Whether a symbol is a constructor, destructor or `what` of a standard exception: it makes,
/// ends or reads a message and does nothing else.
pub fn is_of_exception(symbol: &str) -> bool {
    let Some(rest) = symbol.strip_prefix("_ZNSt").or_else(|| symbol.strip_prefix("_ZNKSt")) else {
        return false;
    };
    let classes = EXCEPTIONS.iter().map(|(class, _)| *class).chain(["exception"]);
    classes.into_iter().any(|class| {
        let member = rest.strip_prefix(&format!("{}{class}", class.len()));
        member.is_some_and(|member| {
            ["C1E", "C2E", "D0E", "D1E", "D2E", "4whatE"].iter().any(|m| member.starts_with(m))
        })
    })
}

/// Functions of run-times and the C library that every engine follows, though their code is
/// not among the sources.
pub(crate) fn is_followed(symbol: &str) -> bool {
    const NAMES: &[&str] = &[
        "__assert_fail",
        "__cxa_allocate_exception",
        "__cxa_atexit",
        "__cxa_begin_catch",
        "__cxa_call_unexpected",
        "__cxa_end_catch",
        "__cxa_free_exception",
        "__cxa_get_exception_ptr",
        "__cxa_guard_abort",
        "__cxa_guard_acquire",
        "__cxa_guard_release",
        "__cxa_pure_virtual",
        "__cxa_rethrow",
        "__cxa_throw",
        "_Unwind_Resume",
        "_ZSt9terminatev",
        "_ZdaPv",
        "_ZdaPvm",
        "_ZdlPv",
        "_ZdlPvm",
        "_Znam",
        "_Znwm",
        "abort",
        "calloc",
        "exit",
        "fprintf",
        "free",
        "malloc",
        "memcmp",
        "memcpy",
        "memmove",
        "memset",
        "printf",
        "putchar",
        "puts",
        "realloc",
        "strcmp",
        "strlen",
    ];
    NAMES.contains(&symbol)
        || thrown_by(symbol).is_some()
        || is_of_exception(symbol)
        || symbol.starts_with("_FortranAStop")
        || symbol.starts_with("_FortranAioOutput")
        || matches!(
            symbol,
            "_FortranAioBeginExternalListOutput"
                | "_FortranAioBeginExternalFormattedOutput"
                | "_FortranAioEndIoStatement"
                | "_FortranAReportFatalUserError"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_of_exceptions() {
        assert_eq!(thrown_by("_ZSt24__throw_out_of_range_fmtPKcz"), Some("out_of_range"));
        assert_eq!(thrown_by("_ZSt28__throw_bad_array_new_lengthv"), Some("bad_array_new_length"));
        assert_eq!(thrown_by("_ZSt9terminatev"), None);
        assert!(is_of_exception("_ZNSt13runtime_errorC1EPKc"));
        assert!(is_of_exception("_ZNKSt9exception4whatEv"));
        assert!(!is_of_exception("_ZNSt6vectorIdSaIdEE9push_backERKd"));
        assert!(is_followed("__cxa_throw") && !is_followed("dgemm_"));
    }
}
