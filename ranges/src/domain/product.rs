//! The reduced product of the domains.

use crate::domain::affine::AffineForms;
use crate::domain::bisection::Bisection;
use crate::domain::blends::Blends;
use crate::domain::caller_facts::CallerFacts;
use crate::domain::cells::Cells;
use crate::domain::environment::Environment;
use crate::domain::implications::Implications;
use crate::domain::point::{Domain, Known, Side, Text, for_each_domain};
use crate::domain::ratios::Ratios;
use crate::domain::recurrences::Recurrences;
use crate::domain::relations::Relations;
use crate::domain::value_numbers::ValueNumbering;
use crate::domain::values::Computed;
use crate::domain::whole_parts::WholeParts;
use crate::domain::zones::Zones;
use nanoscope_program::ir::{Edge, Instruction, Operand, Register};
use nanoscope_sets::Relation;

macro_rules! product {
    ($($(#[$doc:meta])* $field:ident: $element:ident,)*) => {
        /// An element of every domain.
        #[derive(Clone, Debug, Default)]
        pub struct Product {
            $($(#[$doc])* pub $field: $element,)*
        }

        impl Product {
            /// Each domain sharpens the result of an instruction, in the order of the table.
            pub fn sharpen(
                &self,
                at: &Text,
                environment: &Environment,
                instruction: &Instruction,
                computed: &mut Computed,
            ) {
                let known = Known { environment, relations: &self.order };
                $(if at.domains.$field {
                    self.$field.sharpen(at, known, instruction, computed);
                })*
            }

            /// The effect of an instruction.
            pub fn transfer(&mut self, at: &Text, before: &Environment, instruction: &Instruction) {
                $(if at.domains.$field {
                    self.$field.transfer(at, before, instruction);
                })*
            }

            /// Adds that a comparison of two operands has a relation.
            pub fn assume(
                &mut self,
                at: &Text,
                environment: &Environment,
                operands: [Operand; 2],
                relation: Relation,
            ) {
                $(if at.domains.$field {
                    self.$field.assume(at, environment, operands, relation);
                })*
            }

            /// Forgets a register that is assigned anew.
            pub fn forget(&mut self, register: Register) {
                $(self.$field.forget(register);)*
            }

            /// The effect of an edge.
            pub fn follow(
                &mut self,
                at: &Text,
                before: &Environment,
                edge: &Edge,
                is_live: &dyn Fn(Register) -> bool,
            ) {
                $(if at.domains.$field {
                    self.$field.follow(at, before, edge, is_live);
                })*
            }

            /// What holds of either side.
            pub fn join(a: Side<Product>, b: Side<Product>, joined: &Environment) -> Product {
                Product { $($field: Domain::join(
                    Side { environment: a.environment, element: &a.element.$field },
                    Side { environment: b.environment, element: &b.element.$field },
                    joined,
                ),)* }
            }

            /// The widening of one side by the next.
            pub fn widen(a: Side<Product>, b: Side<Product>, wide: &Environment) -> Product {
                Product { $($field: Domain::widen(
                    Side { environment: a.environment, element: &a.element.$field },
                    Side { environment: b.environment, element: &b.element.$field },
                    wide,
                ),)* }
            }

            /// Whether the elements hold of a side.
            pub fn includes(&self, other: Side<Product>) -> bool {
                true $(&& self.$field.includes(Side {
                    environment: other.environment,
                    element: &other.element.$field,
                }))*
            }
        }
    };
}

for_each_domain!(product);
