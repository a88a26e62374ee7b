//! Which crate depends on which, against which may.

use crate::Complaint;
use crate::rooms::Plan;
use serde_json::Value;

/// The prefix of a room's package.
const PREFIX: &str = "nanoscope-";

/// Checks what `cargo metadata --no-deps` tells.
pub fn check(plan: &Plan, metadata: &Value) -> Result<Vec<Complaint>, String> {
    let packages = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    let mut complaints = Vec::new();
    let mut seen = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        let place = format!("{name}'s Cargo.toml");
        let mut complain = |what: String| complaints.push(Complaint { place: place.clone(), what });
        let Some(room) =
            plan.rooms.iter().find(|room| name.strip_prefix(PREFIX) == Some(&room.name))
        else {
            complain("this crate is not in ARCHITECTURE.md's table of rooms".to_string());
            continue;
        };
        seen.push(&room.name);
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let used = dependency["name"].as_str().unwrap_or_default();
            if let Some(used) = used.strip_prefix(PREFIX) {
                if !room.may_use.iter().any(|may| may == used) {
                    complain(format!(
                        "`{}` uses `{used}`, which ARCHITECTURE.md does not allow",
                        room.name
                    ));
                }
            } else if let Some(rooms) = plan.confined.get(used)
                && !rooms.contains(&room.name)
            {
                complain(format!(
                    "`{}` uses `{used}`, which ARCHITECTURE.md keeps to {}",
                    room.name,
                    rooms.join(", ")
                ));
            }
        }
    }
    for room in &plan.rooms {
        if !seen.contains(&&room.name) {
            complaints.push(Complaint {
                place: "ARCHITECTURE.md".to_string(),
                what: format!("there is no crate for the room `{}`", room.name),
            });
        }
    }
    Ok(complaints)
}

#[cfg(test)]
mod tests {
    use crate::rooms::{Plan, Room, Unsafe};
    use serde_json::json;

    fn plan() -> Plan {
        let room = |name: &str, may_use: &[&str]| Room {
            name: name.to_string(),
            may_use: may_use.iter().map(|room| room.to_string()).collect(),
            unsafe_code: Unsafe::No,
        };
        Plan {
            rooms: vec![room("ieee", &[]), room("cli", &["ieee"])],
            confined: [("clap".to_string(), vec!["cli".to_string()])].into(),
        }
    }

    /// Packages and what they depend on, and the complaints about them.
    #[track_caller]
    fn check(packages: &[(&str, &[&str])], complaints: &[&str]) {
        let packages: Vec<_> = packages
            .iter()
            .map(|(name, uses)| {
                let uses: Vec<_> = uses.iter().map(|name| json!({"name": name})).collect();
                json!({"name": name, "dependencies": uses})
            })
            .collect();
        let found = super::check(&plan(), &json!({"packages": packages})).expect("it has packages");
        let found: Vec<&str> = found.iter().map(|complaint| complaint.what.as_str()).collect();
        assert_eq!(found, complaints);
    }

    #[test]
    fn arrows_in_the_table_are_fine() {
        check(
            &[("nanoscope-ieee", &["libc"]), ("nanoscope-cli", &["nanoscope-ieee", "clap"])],
            &[],
        );
    }

    #[test]
    fn arrows_that_are_not_are_told() {
        check(
            &[("nanoscope-ieee", &["nanoscope-cli", "clap"]), ("nanoscope-cli", &[])],
            &[
                "`ieee` uses `cli`, which ARCHITECTURE.md does not allow",
                "`ieee` uses `clap`, which ARCHITECTURE.md keeps to cli",
            ],
        );
    }

    #[test]
    fn crates_and_rows_go_together() {
        check(
            &[("nanoscope-ieee", &[]), ("nanoscope-shed", &[])],
            &[
                "this crate is not in ARCHITECTURE.md's table of rooms",
                "there is no crate for the room `cli`",
            ],
        );
        assert!(super::check(&plan(), &json!({})).is_err());
    }
}
