//! A dossier as one self-contained HTML file. Pure: a report is a function of the dossier.
