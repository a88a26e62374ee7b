//! What scripts ask: answers, models, values, cores, information.

use super::super::names::symbol_text;
use super::super::print::{function_definition, value_text, variable_definition};
use super::super::reals::{real_text, real_value};
use super::super::symbols::Meaning;
use super::super::text::{At, Kind, Tree};
use super::{Decide, Last, Session, Trouble, list, question};
use crate::{Evaluation, Model, Sort};
use std::io::Write;

impl<D: Decide> Session<D> {
    /// Answers a command that asks; whether it is one.
    pub(super) fn ask(
        &mut self,
        tree: &Tree,
        command: &str,
        args: &[At],
        output: &mut impl Write,
    ) -> Result<bool, Trouble> {
        match (command, args) {
            ("check-sat", []) => {
                let verdict = self.check(Vec::new(), Vec::new())?;
                writeln!(output, "{verdict}")?;
            }
            ("check-sat-assuming", [assumptions]) => {
                let (mut literals, mut texts) = (Vec::new(), Vec::new());
                for at in list(tree, *assumptions)? {
                    literals.push(self.truth(tree, at)?);
                    texts.push(tree.print(at));
                }
                let verdict = self.check(literals, texts)?;
                writeln!(output, "{verdict}")?;
            }
            ("get-model", []) => {
                self.needs(tree, ":produce-models")?;
                self.print_model(tree, output)?;
            }
            ("get-value", [wanted]) => {
                self.needs(tree, ":produce-models")?;
                self.print_values(tree, *wanted, output)?;
            }
            ("get-assignment", []) => {
                let model = self.last_model(tree)?;
                let mut evaluation = Evaluation::new(&self.terms, model);
                let pairs: Vec<String> = self
                    .named
                    .iter()
                    .filter(|(_, term)| self.terms.sort(*term) == Sort::Bool)
                    .map(|(name, term)| {
                        let value = value_text(&self.terms, evaluation.value(*term));
                        format!("({} {value})", symbol_text(name))
                    })
                    .collect();
                writeln!(output, "({})", pairs.join(" "))?;
            }
            ("get-unsat-core", []) => {
                self.needs(tree, ":produce-unsat-cores")?;
                let names =
                    self.core().ok_or_else(|| question(tree, "no unsatisfiable assertions"))?;
                writeln!(output, "({})", names.join("\n"))?;
            }
            ("get-unsat-assumptions", []) => {
                self.needs(tree, ":produce-unsat-assumptions")?;
                let texts = self.failed_assumptions();
                let texts = texts.ok_or_else(|| question(tree, "no unsatisfiable assumptions"))?;
                writeln!(output, "({})", texts.join(" "))?;
            }
            ("get-assertions", []) => {
                let texts: Vec<&str> = self.assertions.iter().map(|a| a.text.as_str()).collect();
                writeln!(output, "({})", texts.join("\n"))?;
            }
            ("get-info", [keyword]) => {
                self.print_information(tree.text(*keyword), output)?;
            }
            ("get-option", [keyword]) => {
                writeln!(output, "{}", self.option(tree.text(*keyword)).unwrap_or("unsupported"))?;
            }
            ("echo", [text]) if tree.kind(*text) == Kind::Text => {
                writeln!(output, "{}", tree.print(*text))?;
            }
            (
                "get-proof" | "get-interpolants" | "get-interpolant" | "get-abduct" | "simplify",
                _,
            ) => {
                writeln!(output, "unsupported")?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn last_model(&self, tree: &Tree) -> Result<&Model, Trouble> {
        self.model().ok_or_else(|| question(tree, "no model"))
    }

    fn print_model(&self, tree: &Tree, output: &mut impl Write) -> Result<(), Trouble> {
        let model = self.last_model(tree)?;
        writeln!(output, "(")?;
        for variable in &self.variables {
            let text = variable_definition(&self.terms, model, *variable, &self.sorts);
            writeln!(output, "  {text}")?;
        }
        for function in &self.functions {
            let text = function_definition(&self.terms, model, *function, &self.sorts);
            writeln!(output, "  {text}")?;
        }
        writeln!(output, ")")?;
        Ok(())
    }

    fn print_values(
        &mut self,
        tree: &Tree,
        wanted: At,
        output: &mut impl Write,
    ) -> Result<(), Trouble> {
        self.last_model(tree)?;
        let mut meanings = Vec::new();
        for at in list(tree, wanted)? {
            meanings.push((at, self.expression(tree, at).map_err(Trouble::Question)?));
        }
        let mut evaluation = Evaluation::new(&self.terms, self.last_model(tree)?);
        let mut pairs = Vec::new();
        for (at, meaning) in meanings {
            let text = match meaning {
                Meaning::Term(term) => {
                    let value = evaluation.value(term).clone();
                    self.sorts.text(&self.terms, &value, self.sorts.of_term(&self.terms, term))
                }
                Meaning::Real(real) => real_value(&mut evaluation, &real)
                    .map(|number| real_text(&number))
                    .ok_or_else(|| question(tree, "a real number that SMT-LIB leaves open"))?,
            };
            pairs.push(format!("({} {text})", tree.print(at)));
        }
        writeln!(output, "({})", pairs.join("\n "))?;
        Ok(())
    }

    fn print_information(&self, keyword: &str, output: &mut impl Write) -> std::io::Result<()> {
        let text = match keyword {
            ":name" => "\"nanoscope\"".to_string(),
            ":version" => format!("\"{}\"", env!("CARGO_PKG_VERSION")),
            ":authors" => "\"the Nanoscope authors\"".to_string(),
            ":error-behavior" => "continued-execution".to_string(),
            ":assertion-stack-levels" => self.levels.len().to_string(),
            ":reason-unknown" => match &self.last {
                Last::Unknown(why) => format!("\"{}\"", why.replace('"', "\"\"")),
                Last::None | Last::Sat(_) | Last::Unsat { .. } => "\"\"".to_string(),
            },
            _ => match self.information.get(keyword) {
                Some(value) => format!("\"{}\"", value.replace('"', "\"\"")),
                None => return writeln!(output, "unsupported"),
            },
        };
        writeln!(output, "({keyword} {text})")
    }
}
