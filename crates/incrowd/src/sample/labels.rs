//! The labels of the sample's columns, each with the hierarchy nodes above it.
//!
//! One list per column, one line per label: the label, its node, the node above. The position in the list is the
//! label's code in the generated columns. The top node is `*`.

/// A label and the two hierarchy nodes above it.
pub(super) type LabelPath = (&'static str, &'static str, &'static str);

/// The kind of employer.
pub(super) const WORKCLASS: [LabelPath; 8] = [
    ("Private-company", "Private", "Working"),
    ("Self-employed", "Own-business", "Working"),
    ("Business-owner", "Own-business", "Working"),
    ("Federal-agency", "Public", "Working"),
    ("State-agency", "Public", "Working"),
    ("Town-agency", "Public", "Working"),
    ("Family-unpaid", "Unpaid", "Not-working"),
    ("Never-employed", "Unpaid", "Not-working"),
];

/// The highest school or degree.
pub(super) const EDUCATION: [LabelPath; 16] = [
    ("No-school", "Primary", "Without-diploma"),
    ("Grades-1-4", "Primary", "Without-diploma"),
    ("Grades-5-6", "Primary", "Without-diploma"),
    ("Grades-7-8", "Lower-secondary", "Without-diploma"),
    ("Grade-9", "Lower-secondary", "Without-diploma"),
    ("Grade-10", "Upper-secondary", "Without-diploma"),
    ("Grade-11", "Upper-secondary", "Without-diploma"),
    ("Grade-12", "Upper-secondary", "Without-diploma"),
    ("High-school", "Diploma", "School-diploma"),
    ("Some-college", "Diploma", "School-diploma"),
    ("Vocational-degree", "Two-year-degree", "Higher-education"),
    ("Associate-degree", "Two-year-degree", "Higher-education"),
    ("Bachelor", "Undergraduate", "Higher-education"),
    ("Master", "Graduate", "Higher-education"),
    ("Professional-degree", "Graduate", "Higher-education"),
    ("Doctorate", "Graduate", "Higher-education"),
];

/// The marital status.
pub(super) const MARITAL_STATUS: [LabelPath; 7] = [
    ("Never-married", "Single", "Alone"),
    ("Divorced", "Was-married", "Alone"),
    ("Separated", "Was-married", "Alone"),
    ("Widowed", "Was-married", "Alone"),
    ("Married", "Spouse-present", "Partnered"),
    ("Married-service", "Spouse-present", "Partnered"),
    ("Married-apart", "Spouse-absent", "Partnered"),
];

/// The occupation.
pub(super) const OCCUPATION: [LabelPath; 14] = [
    ("Management", "Office", "White-collar"),
    ("Profession", "Specialist", "White-collar"),
    ("Engineering-support", "Specialist", "White-collar"),
    ("Clerical", "Office", "White-collar"),
    ("Sales", "Office", "White-collar"),
    ("Craft", "Trade", "Blue-collar"),
    ("Machine-work", "Trade", "Blue-collar"),
    ("Transport", "Manual", "Blue-collar"),
    ("Cleaning", "Manual", "Blue-collar"),
    ("Farming", "Manual", "Blue-collar"),
    ("Care-service", "Personal-service", "Service"),
    ("Household-service", "Personal-service", "Service"),
    ("Protection", "Security", "Service"),
    ("Armed-services", "Security", "Service"),
];

/// The race, as stated by the person.
pub(super) const RACE: [LabelPath; 5] = [
    ("White", "White", "*"),
    ("Black", "Not-white", "*"),
    ("Asian-Pacific", "Not-white", "*"),
    ("Indigenous", "Not-white", "*"),
    ("Mixed-or-other", "Not-white", "*"),
];

/// The sex, as stated by the person.
pub(super) const SEX: [&str; 2] = ["Female", "Male"];

/// The country of birth, the home country first, its region's neighbours together.
pub(super) const NATIVE_COUNTRY: [LabelPath; 41] = [
    ("United-States", "Northern-America", "Americas"),
    ("Canada", "Northern-America", "Americas"),
    ("Bermuda", "Northern-America", "Americas"),
    ("Mexico", "Latin-America", "Americas"),
    ("Guatemala", "Latin-America", "Americas"),
    ("El-Salvador", "Latin-America", "Americas"),
    ("Dominican-Republic", "Latin-America", "Americas"),
    ("Cuba", "Latin-America", "Americas"),
    ("Jamaica", "Latin-America", "Americas"),
    ("Haiti", "Latin-America", "Americas"),
    ("Colombia", "Latin-America", "Americas"),
    ("Brazil", "Latin-America", "Americas"),
    ("Bolivia", "Latin-America", "Americas"),
    ("Great-Britain", "Western-Europe", "Europe"),
    ("Ireland", "Western-Europe", "Europe"),
    ("Germany", "Western-Europe", "Europe"),
    ("France", "Western-Europe", "Europe"),
    ("Italy", "Western-Europe", "Europe"),
    ("Norway", "Western-Europe", "Europe"),
    ("Iceland", "Western-Europe", "Europe"),
    ("Poland", "Eastern-Europe", "Europe"),
    ("Ukraine", "Eastern-Europe", "Europe"),
    ("Romania", "Eastern-Europe", "Europe"),
    ("Croatia", "Eastern-Europe", "Europe"),
    ("Estonia", "Eastern-Europe", "Europe"),
    ("China", "Eastern-Asia", "Asia"),
    ("Philippines", "Eastern-Asia", "Asia"),
    ("Vietnam", "Eastern-Asia", "Asia"),
    ("Korea", "Eastern-Asia", "Asia"),
    ("Mongolia", "Eastern-Asia", "Asia"),
    ("India", "Southern-Asia", "Asia"),
    ("Pakistan", "Southern-Asia", "Asia"),
    ("Iran", "Southern-Asia", "Asia"),
    ("Nepal", "Southern-Asia", "Asia"),
    ("Nigeria", "Sub-Saharan-Africa", "Africa"),
    ("Ethiopia", "Sub-Saharan-Africa", "Africa"),
    ("Ghana", "Sub-Saharan-Africa", "Africa"),
    ("Egypt", "Northern-Africa", "Africa"),
    ("Morocco", "Northern-Africa", "Africa"),
    ("Australia", "Pacific", "Oceania"),
    ("Samoa", "Pacific", "Oceania"),
];

/// A code in the manner of ICD with its block and chapter.
pub(super) const DIAGNOSIS: [LabelPath; 40] = [
    ("A08 Stomach virus", "A00-A09 Gut infections", "A Infections"),
    ("A15 Tuberculosis", "A15-A69 Bacterial infections", "A Infections"),
    ("A41 Blood poisoning", "A15-A69 Bacterial infections", "A Infections"),
    ("B18 Lasting hepatitis", "B15-B24 Viral infections", "A Infections"),
    ("B24 HIV disease", "B15-B24 Viral infections", "A Infections"),
    ("C34 Lung cancer", "C00-C49 Solid tumours", "C Tumours"),
    ("C43 Skin cancer", "C00-C49 Solid tumours", "C Tumours"),
    ("C50 Breast cancer", "C50-C69 Tumours by sex", "C Tumours"),
    ("C61 Prostate cancer", "C50-C69 Tumours by sex", "C Tumours"),
    ("C91 Leukaemia", "C81-C96 Tumours of the blood", "C Tumours"),
    ("D50 Iron deficiency", "D50-D69 Anaemias", "D Blood"),
    ("D57 Sickle-cell disease", "D50-D69 Anaemias", "D Blood"),
    ("E03 Low thyroid", "E00-E07 Thyroid", "E Metabolism"),
    ("E10 Diabetes type 1", "E10-E14 Diabetes", "E Metabolism"),
    ("E11 Diabetes type 2", "E10-E14 Diabetes", "E Metabolism"),
    ("E66 Obesity", "E65-E68 Nutrition", "E Metabolism"),
    ("F03 Dementia", "F00-F09 Organic", "F Mind"),
    ("F10 Alcohol dependence", "F10-F19 Substances", "F Mind"),
    ("F11 Opioid dependence", "F10-F19 Substances", "F Mind"),
    ("F20 Schizophrenia", "F20-F48 Mood and thought", "F Mind"),
    ("F32 Depression", "F20-F48 Mood and thought", "F Mind"),
    ("F41 Anxiety", "F20-F48 Mood and thought", "F Mind"),
    ("G20 Parkinson disease", "G20-G26 Movement", "G Nerves"),
    ("G35 Multiple sclerosis", "G30-G37 Degeneration", "G Nerves"),
    ("G40 Epilepsy", "G40-G47 Episodes", "G Nerves"),
    ("G43 Migraine", "G40-G47 Episodes", "G Nerves"),
    ("I10 High blood pressure", "I10-I15 Pressure", "I Circulation"),
    ("I21 Heart attack", "I20-I25 Heart vessels", "I Circulation"),
    ("I25 Narrowed heart vessels", "I20-I25 Heart vessels", "I Circulation"),
    ("I50 Heart failure", "I30-I52 Heart muscle", "I Circulation"),
    ("I63 Stroke", "I60-I69 Brain vessels", "I Circulation"),
    ("J18 Pneumonia", "J09-J18 Lung infections", "J Breathing"),
    ("J44 Smoker's lung", "J40-J47 Lasting lung diseases", "J Breathing"),
    ("J45 Asthma", "J40-J47 Lasting lung diseases", "J Breathing"),
    ("K35 Appendicitis", "K35-K38 Appendix", "K Digestion"),
    ("K80 Gallstones", "K80-K87 Gall", "K Digestion"),
    ("M17 Worn knee", "M15-M19 Joints", "M Bones"),
    ("M54 Back pain", "M50-M54 Spine", "M Bones"),
    ("O80 Birth", "O80-O84 Delivery", "O Pregnancy"),
    ("S72 Broken thigh", "S70-S79 Hip and thigh", "S Injuries"),
];
