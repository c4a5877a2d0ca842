//! How often each label occurs, and how one column leans on another.
//!
//! Weights are written as whole numbers in the order of the labels; only their proportions count. They are made up,
//! with the shape of a census: a few labels carry most people, and some are so rare that a person stands out.

/// The youngest person.
pub(super) const YOUNGEST: u32 = 17;
/// The oldest person.
pub(super) const OLDEST: u32 = 90;
/// How many of ten thousand cells are missing, in the columns that have missing cells.
pub(super) const MISSING_PER_10_000: u32 = 50;

/// The first age of each band but the first.
const BAND_STARTS: [u32; 7] = [23, 30, 40, 50, 60, 70, 80];
/// How many bands of age there are.
pub(super) const BANDS: usize = BAND_STARTS.len() + 1;

/// The band of an age: what marriage, school and illness depend on.
pub(super) const fn band(age: u32) -> usize {
    let mut band = 0;
    while band < BAND_STARTS.len() && age >= BAND_STARTS[band] {
        band += 1;
    }
    band
}

/// The weight of an age: a plateau of the working ages, then a long slope.
pub(super) fn age(age: u32) -> f64 {
    f64::from(match age {
        ..=24 => 110 + 11 * (age - YOUNGEST),
        25..=46 => 200,
        47..=70 => 200 - 6 * (age - 46),
        71..=84 => 56 - 3 * (age - 70),
        _ => 14 - 2 * (age - 84).min(6),
    })
}

/// Men in a thousand, by band.
pub(super) const MEN: [u32; BANDS] = [520, 515, 510, 505, 495, 475, 430, 360];

/// Countries of birth.
pub(super) const NATIVE_COUNTRY: [u32; 41] = [
    760_000, 4_200, 40, 38_000, 4_900, 5_400, 4_200, 5_100, 4_600, 3_300, 3_900, 2_600, 290, 5_600, 1_300, 5_200,
    1_500, 3_200, 210, 25, 3_600, 2_400, 1_300, 420, 60, 8_200, 9_300, 5_900, 5_000, 45, 9_400, 2_300, 2_600, 900,
    2_200, 1_500, 950, 900, 520, 700, 55,
];

/// How many groups of origin there are.
pub(super) const ORIGINS: usize = 6;

/// The group of origin of each country: home, Latin America, Europe and the like, Eastern Asia, Southern Asia, Africa.
pub(super) const fn origin(country: u32) -> usize {
    match country {
        0 => 0,
        3..=12 => 1,
        25..=29 | 40 => 3,
        30..=33 => 4,
        34..=38 => 5,
        _ => 2,
    }
}

/// Race by origin.
pub(super) const RACE: [[u32; 5]; ORIGINS] = [
    [7_900, 1_330, 330, 160, 280],
    [5_200, 2_300, 60, 340, 2_100],
    [8_900, 620, 210, 20, 250],
    [260, 40, 9_400, 30, 270],
    [700, 110, 8_500, 20, 670],
    [1_500, 8_000, 60, 10, 430],
];

/// Postal region (the first digit) by origin: newcomers gather in some regions.
pub(super) const REGION: [[u32; 10]; ORIGINS] = [
    [70, 95, 100, 105, 120, 80, 75, 110, 95, 150],
    [20, 60, 30, 140, 20, 10, 25, 260, 90, 345],
    [150, 180, 90, 110, 90, 50, 80, 60, 70, 120],
    [40, 110, 40, 40, 40, 30, 60, 80, 60, 500],
    [110, 200, 110, 60, 80, 30, 90, 120, 40, 160],
    [90, 220, 210, 90, 90, 100, 50, 100, 20, 30],
];

/// Schooling by the time of life: still learning, grown, old.
pub(super) const EDUCATION: [[u32; 16]; 3] = [
    [8, 14, 25, 60, 120, 330, 620, 330, 2_600, 4_100, 260, 330, 1_150, 45, 8, 1],
    [12, 38, 85, 160, 150, 230, 290, 110, 3_180, 2_160, 480, 380, 1_930, 640, 200, 150],
    [45, 130, 260, 760, 300, 420, 290, 110, 3_150, 1_500, 290, 180, 1_300, 600, 290, 190],
];

/// What a foreign origin does to schooling, in tenths: more without any, more with the highest.
pub(super) const EDUCATION_ABROAD: [u32; 16] = [80, 90, 80, 45, 40, 14, 9, 22, 8, 6, 6, 7, 11, 14, 15, 22];

/// The time of life that decides schooling and employment.
pub(super) const fn phase(age: u32) -> usize {
    match age {
        ..=24 => 0,
        25..=61 => 1,
        _ => 2,
    }
}

/// How many levels of schooling there are.
pub(super) const LEVELS: usize = 4;

/// The level of an education: no diploma, school, two or four years after it, graduate.
pub(super) const fn level(education: u32) -> usize {
    match education {
        ..=7 => 0,
        8..=9 => 1,
        10..=12 => 2,
        _ => 3,
    }
}

/// Marriage by band.
pub(super) const MARITAL_STATUS: [[u32; 7]; BANDS] = [
    [9_250, 90, 85, 4, 500, 11, 60],
    [5_600, 750, 290, 20, 3_150, 25, 165],
    [2_550, 1_550, 410, 65, 5_200, 14, 211],
    [1_350, 2_150, 430, 160, 5_700, 5, 205],
    [750, 2_000, 330, 480, 6_250, 2, 188],
    [560, 1_450, 230, 1_350, 6_250, 1, 159],
    [510, 850, 130, 2_900, 5_450, 1, 159],
    [520, 420, 60, 4_900, 3_950, 1, 149],
];

/// What being a woman does to marriage, in tenths: women outlive their husbands.
pub(super) const MARITAL_STATUS_OF_WOMEN: [u32; 7] = [10, 15, 18, 32, 6, 12, 11];

/// Employer by schooling.
pub(super) const WORKCLASS: [[u32; 8]; LEVELS] = [
    [8_150, 900, 190, 110, 110, 480, 25, 30],
    [7_700, 780, 310, 300, 320, 560, 10, 6],
    [7_000, 850, 450, 370, 440, 880, 4, 2],
    [5_000, 1_250, 750, 430, 920, 1_640, 3, 1],
];

/// What the time of life does to an employer, in tenths.
pub(super) const WORKCLASS_BY_PHASE: [[u32; 8]; 3] =
    [[12, 4, 2, 5, 12, 7, 25, 60], [10, 10, 10, 10, 10, 10, 6, 2], [8, 20, 17, 9, 10, 11, 22, 2]];

/// Occupation by schooling.
pub(super) const OCCUPATION: [[u32; 14]; LEVELS] = [
    [360, 220, 90, 650, 780, 1_780, 1_660, 890, 1_130, 670, 1_500, 90, 170, 2],
    [1_080, 620, 290, 1_680, 1_180, 1_660, 880, 640, 560, 330, 980, 28, 260, 4],
    [2_150, 1_980, 620, 1_320, 1_430, 760, 230, 180, 130, 170, 560, 9, 260, 3],
    [2_250, 5_400, 240, 390, 640, 160, 50, 45, 25, 95, 190, 4, 75, 2],
];

/// What being a woman does to an occupation, in tenths.
pub(super) const OCCUPATION_OF_WOMEN: [u32; 14] = [9, 12, 11, 22, 12, 3, 9, 3, 7, 4, 18, 70, 5, 2];

/// What an employer does to an occupation, in tenths.
pub(super) const OCCUPATION_BY_WORKCLASS: [[u32; 14]; 8] = [
    [10, 8, 10, 10, 11, 11, 13, 11, 12, 6, 10, 13, 6, 0],
    [12, 10, 4, 2, 14, 16, 4, 8, 3, 40, 7, 4, 2, 0],
    [25, 12, 3, 3, 20, 10, 3, 4, 2, 12, 4, 1, 2, 0],
    [14, 14, 20, 22, 1, 6, 3, 8, 3, 3, 4, 1, 25, 80],
    [14, 24, 14, 16, 2, 4, 2, 5, 4, 3, 12, 1, 40, 0],
    [9, 24, 6, 12, 1, 6, 2, 11, 6, 3, 12, 1, 60, 0],
    [4, 2, 2, 8, 14, 8, 6, 5, 10, 90, 10, 20, 1, 0],
    [1; 14],
];

/// Diagnosis of women and men under forty, from forty to sixty-nine, and older.
pub(super) const DIAGNOSIS: [[[u32; 40]; 2]; 3] = [
    [
        [
            420, 12, 30, 25, 14, 4, 45, 60, 0, 25, 360, 14, 240, 110, 120, 520, 0, 110, 90, 40, 880, 820, 0, 70, 110,
            620, 160, 2, 3, 6, 8, 150, 3, 520, 210, 190, 20, 620, 1_400, 12,
        ],
        [
            430, 18, 35, 45, 60, 5, 40, 1, 1, 35, 60, 14, 45, 140, 150, 430, 0, 290, 190, 70, 480, 430, 1, 28, 130,
            220, 260, 12, 10, 9, 10, 170, 4, 480, 300, 60, 30, 800, 0, 40,
        ],
    ],
    [
        [
            180, 14, 90, 60, 12, 130, 140, 520, 0, 60, 190, 5, 520, 60, 760, 680, 18, 150, 70, 50, 760, 560, 50, 60,
            70, 350, 1_500, 110, 210, 120, 150, 220, 330, 380, 70, 380, 720, 880, 25, 60,
        ],
        [
            170, 24, 110, 95, 50, 190, 170, 4, 360, 80, 60, 5, 120, 70, 980, 620, 16, 410, 120, 55, 430, 290, 75, 25,
            80, 120, 1_700, 380, 560, 190, 200, 240, 390, 220, 80, 210, 520, 920, 0, 70,
        ],
    ],
    [
        [
            120, 14, 240, 30, 2, 190, 150, 420, 0, 90, 170, 1, 430, 20, 820, 290, 780, 40, 14, 22, 380, 190, 210, 8,
            60, 60, 1_600, 300, 560, 780, 560, 620, 420, 160, 25, 260, 880, 470, 0, 620,
        ],
        [
            110, 22, 270, 40, 4, 290, 190, 6, 820, 110, 120, 1, 130, 20, 900, 240, 560, 90, 16, 16, 210, 90, 290, 4,
            70, 20, 1_400, 480, 860, 760, 520, 680, 560, 120, 25, 230, 620, 430, 0, 280,
        ],
    ],
];

/// The time of life that decides illness.
pub(super) const fn health(band: usize) -> usize {
    match band {
        ..=2 => 0,
        3..=5 => 1,
        _ => 2,
    }
}

/// People in a thousand who earn more, by education.
pub(super) const EARN_MORE_BY_EDUCATION: [i32; 16] =
    [10, 25, 35, 60, 60, 70, 80, 90, 190, 230, 290, 290, 450, 580, 730, 740];
/// What is added for an occupation.
pub(super) const EARN_MORE_BY_OCCUPATION: [i32; 14] =
    [190, 160, 60, -60, 40, 0, -70, -30, -130, -120, -140, -170, 60, -40];
/// What is added for a band of age.
pub(super) const EARN_MORE_BY_BAND: [i32; BANDS] = [-220, -90, 40, 120, 130, 30, -60, -110];
/// What is added for women and for men.
pub(super) const EARN_MORE_BY_SEX: [i32; 2] = [-130, 20];
