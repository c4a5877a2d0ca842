//! δ-disclosure privacy: with p the share of a value among all published rows and q its share in a class, |ln(q/p)| < δ
//! for every value that is published. So every value is in every class.
//!
//! J. Brickell and V. Shmatikov, "The cost of privacy", KDD 2008.

use super::shared::SensitiveAttribute;
use super::shared::exact::ExactNumber;
use super::shared::sql::{ValueCounts, identifier};
use super::{ClassTest, Model, ModelEntry, Parameters, RowsSay};

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "delta-disclosure",
    protects_sensitive: true,
    of_population: false,
    parameters: &["delta"],
    rows_say: RowsSay::Nothing,
    read: DeltaDisclosure::read,
};

struct DeltaDisclosure {
    delta: ExactNumber,
}

impl DeltaDisclosure {
    fn read(parameters: &Parameters) -> Result<Box<dyn Model>, String> {
        let delta = ExactNumber::parameter(parameters, "delta", |delta| delta.above > 0, "a number above 0")?;
        Ok(Box::new(DeltaDisclosure { delta }))
    }

    /// e^δ in thousandths, rounded up: a smaller factor in a sentence would promise more than the model does.
    fn factor(&self) -> f64 {
        (self.delta.to_f64().exp() * 1e3).ceil() / 1e3
    }
}

impl Model for DeltaDisclosure {
    fn promise(&self, of: &str) -> String {
        let times = self.factor();
        format!(
            "In each class, the share of each value of {of} is less than {times:.3} times its share in all rows, and \
             more than that share divided by {times:.3}.",
        )
    }

    fn promise_of_people(&self, of: &str) -> String {
        let times = self.factor();
        format!(
            "In each class, the share of people who have any one value of {of} is less than {times:.3} times its share among \
             all people of the release, and more than that share divided by {times:.3}."
        )
    }

    fn sql(&self, quasi_identifiers: &[&str], of: &str) -> String {
        let weighed = ValueCounts::of_values(quasi_identifiers, of);
        let ValueCounts { own, class, whole, all, met, .. } = &weighed;
        let attribute = identifier(of);
        let every =
            format!("(SELECT COUNT(*) FROM (SELECT {attribute} FROM \"release\" GROUP BY {attribute}) AS every)");
        format!(
            "SELECT * FROM {} WHERE {met} < {every} OR ABS(LN({own} * {all} / ({whole} * {class}))) >= {:?}",
            weighed.rows(&[class, whole, all, met]),
            self.delta.to_f64()
        )
    }

    fn bind<'a>(&'a self, attribute: &'a SensitiveAttribute) -> ClassTest<'a> {
        let (whole, all) = (&attribute.rows, attribute.all());
        let values = attribute.whole().count();
        let delta = self.delta.to_f64();
        Box::new(move |class| {
            let is_near = |(code, own): (usize, u64)| {
                let share = |part: u64, of: u64| part as f64 / of as f64;
                (share(own, class.size) / share(whole[code], all)).ln().abs() < delta
            };
            class.histogram().count() == values && class.histogram().all(is_near)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_printed_factor_is_not_below_the_exact_one() {
        // e^0.1 = 1.10517….
        let model = DeltaDisclosure { delta: ExactNumber { above: 1, below: 10 } };
        for promise in [model.promise("illness"), model.promise_of_people("illness")] {
            assert!(promise.contains("less than 1.106 times"), "{promise}");
        }
    }
}
