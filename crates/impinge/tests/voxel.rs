//! What engine `voxel` promises, held against the exact engines and exact distances.

mod random;

use impinge::contract::answer::Answers;
use impinge::narrow;
use impinge::prelude::*;
use impinge_samples as samples;
use std::sync::Arc;
