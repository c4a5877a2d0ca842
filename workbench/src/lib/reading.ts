// How text files are written: what can be chosen where it is not detected.

export const delimiters = [
  { letter: ",", name: "comma ,", word: "comma" },
  { letter: ";", name: "semicolon ;", word: "semicolon" },
  { letter: "\t", name: "tab", word: "tab" },
  { letter: "|", name: "vertical bar |", word: "vertical bar" },
];

/** The encodings that office programs and statistics programs write most often. */
export const encodings = [
  { label: "windows-1252", name: "Western European (Windows-1252, Latin-1)" },
  { label: "ISO-8859-15", name: "Western European with € (Latin-9)" },
  { label: "windows-1250", name: "Central European (Windows-1250)" },
  { label: "ISO-8859-2", name: "Central European (Latin-2)" },
  { label: "windows-1251", name: "Cyrillic (Windows-1251)" },
  { label: "windows-1253", name: "Greek (Windows-1253)" },
  { label: "windows-1254", name: "Turkish (Windows-1254)" },
  { label: "macintosh", name: "Western European (old Macintosh)" },
  { label: "UTF-16LE", name: "UTF-16, little endian" },
  { label: "UTF-16BE", name: "UTF-16, big endian" },
  { label: "GBK", name: "Simplified Chinese (GBK)" },
  { label: "Big5", name: "Traditional Chinese (Big5)" },
  { label: "Shift_JIS", name: "Japanese (Shift_JIS)" },
  { label: "EUC-KR", name: "Korean (EUC-KR)" },
];
