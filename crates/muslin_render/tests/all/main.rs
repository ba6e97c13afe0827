//! Tests of pictures: facts about pixels that are known without drawing them.

mod colours;
mod figures;
mod framing;
mod pixels;
mod refused;
mod sameness;
mod shadows;
mod sheet;
