//! What is known of C++'s standard library by its symbols.

use crate::ir::is_jump;

/// A symbol as the source writes it, without the standard library's long spellings.
pub fn demangled(symbol: &str) -> String {
    const STRING: &str = "std::__cxx11::basic_string<char, std::char_traits<char>, \
                          std::allocator<char>>";
    let name = crate::llvm::demangled(symbol);
    name.replace("basic_string<char, std::char_traits<char>, std::allocator<char> >", {
        "basic_string<char, std::char_traits<char>, std::allocator<char>>"
    })
    .replace(STRING, "std::string")
    .replace("std::__cxx11::", "std::")
}

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
    match symbol {
        "__cxa_bad_cast" => return Some("bad_cast"),
        "__cxa_bad_typeid" => return Some("bad_typeid"),
        "__cxa_throw_bad_array_new_length" => return Some("bad_array_new_length"),
        _ => {}
    }
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

/// Whether a function is a constructor or destructor of `std::allocator<char>`, which libstdc++
/// has and does not inline: it does nothing. `std::ios_base::Init` makes the streams.
pub fn is_empty(symbol: &str) -> bool {
    let of_allocator = symbol.strip_prefix("_ZNSaIcE");
    of_allocator.is_some_and(|member| {
        ["C1E", "C2E", "D1E", "D2E"].iter().any(|special| member.starts_with(special))
    }) || symbol.starts_with("_ZNSt8ios_base4Init")
}

/// Whether a function prints to a stream and gives it back.
pub fn is_output(symbol: &str) -> bool {
    const MEMBERS: &[&str] = &["_ZNSolsE", "_ZNSo3putE", "_ZNSo5writeE", "_ZNSo5flushE"];
    const FREE: &[&str] = &["_ZSt4endlI", "_ZSt5flushI", "_ZSt4endsI", "_ZSt16__ostream_insertI"];
    MEMBERS.iter().chain(FREE).any(|start| symbol.starts_with(start))
        || symbol.starts_with("_ZStlsI") && symbol.contains("basic_ostream")
        || symbol.starts_with("_ZNSo9_M_insertI")
}

/// Whether a function of the standard library changes only what it is handed and what that leads
/// to, and calls nothing of the program's.
pub fn is_self_contained(symbol: &str) -> bool {
    const STARTS: &[&str] = &[
        "NSaIcE",
        "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE",
        "NSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE",
        "NSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE",
        "NSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEE",
        "NSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE",
        "NSt6locale",
        "NSt8ios_base",
        "NSt9basic_iosIcSt11char_traitsIcEE",
        "NSt8__detail15_List_node_base",
        "NSt8__detail20_Prime_rehash_policy",
        "St11_Hash_bytes",
        "St18_Rb_tree_",
        "St28_Rb_tree_",
        "St29_Rb_tree_",
    ];
    let Some(rest) = symbol.strip_prefix("_Z") else { return false };
    // A method that is `const` is still one of its class.
    let plain = rest.strip_prefix("NK").map(|rest| format!("N{rest}"));
    let rest = plain.as_deref().unwrap_or(rest);
    STARTS.iter().any(|start| rest.starts_with(start)) || is_output(symbol)
}

/// Whether a symbol is of a template of the standard library whose instances libstdc++ has, and whose
/// bodies are linked for every engine: `std::string`.
pub fn is_followed_template(symbol: &str) -> bool {
    let rest = symbol.strip_prefix("_ZNK").or_else(|| symbol.strip_prefix("_ZN"));
    rest.is_some_and(|rest| rest.starts_with("St7__cxx1112basic_stringIcSt11char_traits"))
}

/// Whether such a function gives back its first argument.
pub fn gives_back_first(symbol: &str) -> bool {
    const STRING: &str = "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE";
    const CHANGES: &[&str] = &["pLE", "aSE", "6append", "6assign", "6insertE", "7replaceE"];
    let changes = |member: &str| CHANGES.iter().any(|change| member.starts_with(change));
    is_output(symbol) || symbol.strip_prefix(STRING).is_some_and(changes)
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
        "__dynamic_cast",
        "_Unwind_Resume",
        "_ZSt9terminatev",
        "_ZdaPv",
        "_ZdaPvm",
        "_ZdlPv",
        "_ZdlPvm",
        "_Znam",
        "_Znwm",
        "abort",
        "bsearch",
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
        "qsort",
        "realloc",
        "strcmp",
        "strlen",
    ];
    NAMES.contains(&symbol)
        || thrown_by(symbol).is_some()
        || is_of_exception(symbol)
        || is_empty(symbol)
        || is_output(symbol)
        || is_jump(symbol)
        || ["_ZSt18_Rb_tree_", "_ZSt28_Rb_tree_", "_ZSt29_Rb_tree_"]
            .iter()
            .any(|start| symbol.starts_with(start))
        || symbol.starts_with("_ZNSt8__detail15_List_node_base")
        || symbol.starts_with("_FortranAStop")
        || symbol.starts_with("_FortranAioOutput")
        || matches!(
            symbol,
            "_FortranAioBeginExternalListOutput"
                | "_FortranAioBeginExternalFormattedOutput"
                | "_FortranAioBeginUnformattedOutput"
                | "_FortranAioEnableHandlers"
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
        assert!(is_output("_ZNSolsEd") && is_output("_ZNSolsEPFRSoS_E"));
        assert!(is_output("_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc"));
        assert!(!is_output("_ZStlsR5ModelRKS_"));
        let append = "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKc";
        assert!(gives_back_first(append) && is_self_contained(append));
        let find = "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4findEPKcm";
        assert!(is_self_contained(find) && !gives_back_first(find));
        assert!(is_empty("_ZNSaIcED2Ev") && !is_empty("_ZNSaIcE8allocateEmPKv"));
        assert!(is_followed("__cxa_throw") && !is_followed("dgemm_"));
        assert_eq!(demangled(append), "std::string::append(char const*)");
        assert_eq!(demangled("dgemm_"), "dgemm_");
    }
}
