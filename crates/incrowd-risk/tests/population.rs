//! Estimates about populations against the figures that ARX's tests print for its own table, and against literal
//! definitions.

#![allow(clippy::unwrap_used)]

mod population {
    mod arx;
}
