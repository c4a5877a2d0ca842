//! The words by which a column's name reveals what the column holds.
//!
//! One entry per idea, in the order identifiers, person numbers, quasi-identifiers, sensitive, insensitive; within an
//! entry the words of all languages (English, German, French, Spanish) are in alphabetical order. A word is written
//! as [`super::names::tokens`] would cut it: lower case, `ä` as `ae`, other accents dropped, a space between tokens.
//! A word counts only as whole tokens, so `age` is not found in `message`. To teach a word, add it to its entry.

/// What a word says about the column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sense {
    /// Names a person without any other column.
    Identifier,
    /// A number given to each person: an identifier when unique, the subject when it repeats.
    PersonNumber,
    /// Known to outsiders, telling in combination.
    QuasiIdentifier,
    /// A person or institution involved with a person: outsiders can know where a person is treated or banks.
    Institution,
    /// No one should learn it about a person.
    Sensitive,
    /// No one should learn it about a person, and it is an amount or a measurement, which can be exact to the cent.
    SensitiveAmount,
    /// A weight of a sample: a function of what the person was drawn by.
    Weight,
    /// Not known to outsiders, and not sensitive.
    Insensitive,
}

/// One idea and the words for it.
#[derive(Debug)]
pub(super) struct VocabularyEntry {
    /// What the words say about a column.
    pub(super) sense: Sense,
    /// The idea with its article, as it is in a reason.
    pub(super) idea: &'static str,
    /// The words, alphabetical, separated by commas.
    pub(super) words: &'static str,
}

/// Every idea with its words.
pub(super) const ENTRIES: &[VocabularyEntry] = &[
    VocabularyEntry {
        sense: Sense::Identifier,
        idea: "a person's name",
        words: "apellido, apellidos, birth name, client name, cognome, contact name, customer name, employee name, \
                familienname, family name, father name, first name, firstname, fname, forename, full name, \
                fullname, geburtsname, given name, kundenname, last name, lastname, lname, maiden name, middle \
                name, mother name, nachname, name of patient, nom de famille, nom prenom, nombre apellidos, nombre \
                completo, patient name, patientenname, person name, prenom, rufname, spouse name, student name, \
                surname, user name, vollname, vorname",
    },
    VocabularyEntry {
        sense: Sense::Identifier,
        idea: "a user name",
        words: "anmeldename, benutzername, handle, identifiant connexion, login, nickname, nombre usuario, screen \
                name, username",
    },
    VocabularyEntry {
        sense: Sense::Identifier,
        idea: "an e-mail address",
        words: "adresse email, adresse mail, correo, correo electronico, courriel, e mail, email, email address, \
                email adresse, emails, mail, mail address, mailadresse",
    },
    VocabularyEntry {
        sense: Sense::Identifier,
        idea: "a telephone number",
        words: "cell, cell phone, cellphone, celular, fax, fax number, handy, handynummer, mobile, mobile number, \
                mobilnummer, movil, msisdn, numero telefono, numero telephone, phone, phone number, rufnummer, \
                tel, telefon, telefonnummer, telefono, telephone, telephone portable",
    },
    VocabularyEntry {
        sense: Sense::Identifier,
        idea: "a postal address",
        words: "address, address line, adresse, adresse postale, anschrift, calle, direccion, domicilio, \
                hausnummer, home address, house number, numero rue, rue, strasse, strassenname, street, street \
                address, street number",
    },
    VocabularyEntry {
        sense: Sense::Identifier,
        idea: "a bank account or card number",
        words: "account, account id, account no, account number, acct, bank account, card number, carte bancaire, \
                compte, compte bancaire, credit card, credit card number, creditcard, cuenta, cuenta bancaria, \
                iban, kartennummer, konto, kontonr, kontonummer, kreditkarte, numero compte, numero cuenta, \
                tarjeta",
    },
    VocabularyEntry {
        sense: Sense::Identifier,
        idea: "an internet address",
        words: "adresse ip, direccion ip, homepage, ip, ip addr, ip address, ip adresse, ipv, link, mac addr, mac \
                address, profile url, site web, sitio web, url, web site, webseite, website",
    },
    VocabularyEntry {
        sense: Sense::Identifier,
        idea: "a device number",
        words: "advertising id, cookie, cookie id, device id, device identifier, deviceid, geraetenummer, imei, \
                imsi, numero serie, serial no, serial number, serialnumber, seriennummer, udid",
    },
    VocabularyEntry {
        sense: Sense::Identifier,
        idea: "a vehicle number or licence plate",
        words: "fahrgestellnummer, immatriculation, kennzeichen, kfz kennzeichen, licence plate, license plate, \
                matricula vehiculo, number plate, nummernschild, placa, plaque immatriculation, plate, plate \
                number, registration plate, vehicle identification number, vin",
    },
    VocabularyEntry {
        sense: Sense::Identifier,
        idea: "a picture or body measure that identifies a person",
        words: "empreinte, faceprint, fingerabdruck, fingerprint, firma manuscrita, foto, huella, lichtbild, \
                photo, photograph, portrait, selfie, signature, unterschrift",
    },
    VocabularyEntry {
        sense: Sense::Identifier,
        idea: "free text written about a person",
        words: "anmerkung, anmerkungen, bemerkung, bemerkungen, clinical note, clinical notes, comentario, \
                comentarios, comment, commentaire, commentaires, comments, description text, free text, freetext, \
                freitext, kommentar, memo, narrative, note text, notes, notiz, notizen, observaciones, remark, \
                remarks, remarque, remarques, texte libre, texto libre",
    },
    VocabularyEntry {
        sense: Sense::PersonNumber,
        idea: "a number given to each person",
        words: "aadhaar, ahv, ahv nummer, ausweisnummer, bsn, chart number, clientid, cpf, curp, customerid, dni, \
                driver licence, driver license, drivers license, driving licence, driving license, employeeid, \
                fuehrerschein, fuehrerscheinnummer, health insurance number, health record number, historia \
                clinica, id card, identity card, insurance id, insurance no, insurance number, \
                krankenversicherungsnummer, kundenid, kundennr, kundennummer, licence number, license number, \
                matricule, matrikelnummer, medical record, medical record no, medical record number, medicare \
                number, memberid, mitgliedsnummer, mrn, national id, national insurance number, national number, \
                nhs no, nhs number, nie, nif, nino, nir, numero client, numero cliente, numero dossier, numero \
                historia, numero pasaporte, numero passeport, numero secu, numero securite sociale, numero \
                seguridad social, pasaporte, passeport, passnummer, passport, passport no, passport number, \
                patientenid, patientenkennung, patientennr, patientennummer, patientid, payroll number, permis \
                conduire, personalausweis, personalnummer, personennummer, personid, personnel number, pesel, pid, \
                policy number, probandennummer, reisepass, reisepassnummer, rentenversicherungsnummer, securite \
                sociale, seguridad social, sin number, social security, social security number, socialsecurity, \
                sozialversicherungsnummer, ssn, staff number, steuer id, steuerid, steuernummer, studentid, \
                subjectid, subjid, sv nummer, svnr, tax id, tax number, taxpayer id, tin, userid, usubjid, \
                versichertennummer, versicherungsnummer, voter id",
    },
    VocabularyEntry {
        sense: Sense::QuasiIdentifier,
        idea: "an age",
        words: "age, age band, age class, age group, age range, age years, agegroup, ages, alter, altersgruppe, \
                altersklasse, edad, eta, grupo edad, lebensalter, tranche age",
    },
    VocabularyEntry {
        sense: Sense::QuasiIdentifier,
        idea: "a date or year of birth",
        words: "annee de naissance, annee naissance, ano de nacimiento, ano nacimiento, birth, birth date, birth \
                day, birth month, birth year, birthdate, birthday, birthyear, born, date de naissance, date \
                naissance, date of birth, dob, fecha de nacimiento, fecha nacimiento, gebdat, geboren, \
                geburtsdatum, geburtsjahr, geburtsmonat, geburtstag, nacimiento, naissance, ne le, year of birth, \
                yob",
    },
    VocabularyEntry {
        sense: Sense::QuasiIdentifier,
        idea: "a sex or gender",
        words: "gender, genero, genre, geschlecht, sex, sexe, sexo",
    },
    VocabularyEntry {
        sense: Sense::QuasiIdentifier,
        idea: "a postcode",
        words: "code postal, codepostal, codigo postal, codigopostal, plz, post code, postal code, postalcode, \
                postcode, postleitzahl, zip, zip code, zip number, zipcode",
    },
    VocabularyEntry {
        sense: Sense::QuasiIdentifier,
        idea: "a place",
        words: "area code, bezirk, birth place, birthplace, block group, borough, breitengrad, bundesland, census \
                tract, city, ciudad, commune, comunidad, continent, coordinates, country, country of birth, \
                county, departement, district, domicile, estado, geburtsland, geburtsort, gemeinde, gps, \
                herkunftsland, kanton, kreis, laengengrad, land, landkreis, lat, latitude, lieu, lieu de \
                naissance, lieu naissance, lng, localidad, location, lon, longitude, lugar, lugar de nacimiento, \
                lugar nacimiento, municipality, municipio, native country, neighborhood, neighbourhood, ort, pais, \
                pais nacimiento, pays, pays naissance, place, place of birth, place of residence, province, \
                provincia, region, residence, staat, stadt, state, town, tract, village, ville, wohnort",
    },
    VocabularyEntry {
        sense: Sense::QuasiIdentifier,
        idea: "an ethnic origin",
        words: "ancestry, ethnic, ethnic group, ethnic origin, ethnicity, ethnie, ethnische herkunft, ethnische \
                zugehoerigkeit, etnia, hautfarbe, herkunft, migrationshintergrund, origen, origen etnico, origin, \
                origine, origine ethnique, race, raza, skin color, skin colour",
    },
    VocabularyEntry {
        sense: Sense::QuasiIdentifier,
        idea: "a nationality or language",
        words: "citizenship, citoyennete, ciudadania, first language, idioma, immigrant, language, langue, langue \
                maternelle, lengua, lengua materna, mother tongue, muttersprache, nacionalidad, nationalitaet, \
                nationalite, nationality, native language, sprache, staatsangehoerigkeit, staatsbuergerschaft, \
                visa status",
    },
    VocabularyEntry {
        sense: Sense::QuasiIdentifier,
        idea: "a marital or family status",
        words: "anzahl kinder, children, civil status, dependants, dependents, enfants, estado civil, etat civil, \
                familienstand, family size, family status, haushalt, haushaltsgroesse, hijos, hogar, household, \
                household size, kinder, kinderzahl, marital, marital status, maritalstatus, married, menage, n \
                children, nombre d enfants, nombre enfants, number of children, numero hijos, parity, \
                relationship, relationship status, situation familiale, spouse, statut marital, tamano hogar, \
                verheiratet, zivilstand",
    },
    VocabularyEntry {
        sense: Sense::QuasiIdentifier,
        idea: "an education level",
        words: "abschluss, bildung, bildungsabschluss, bildungsstand, college, degree, diplome, ecole, educacion, \
                education, education level, educational level, escuela, estudios, etudes, highest education, \
                hochschule, niveau d etudes, niveau etudes, nivel de estudios, nivel educativo, nivel estudios, \
                qualification, school, schooling, schulabschluss, schulbildung, schule, titulo academico, \
                university",
    },
    VocabularyEntry {
        sense: Sense::QuasiIdentifier,
        idea: "an occupation or employment",
        words: "abteilung, arbeitgeber, arbeitszeit, beruf, berufsgruppe, beschaeftigung, beschaeftigungsstatus, \
                branche, company, department, empleador, empleo, emploi, employer, employeur, employment, \
                employment status, erwerbsstatus, heures par semaine, horas por semana, horas semanales, hours per \
                week, industry, job, job title, jobtitle, metier, occupation, ocupacion, position, poste, \
                profesion, profession, profession exercee, puesto, rank, secteur, sector, taetigkeit, trabajo, \
                unit, weekly hours, wochenstunden, work class, work hours, workclass, working hours, workplace",
    },
    VocabularyEntry {
        sense: Sense::QuasiIdentifier,
        idea: "a date of an event in a person's life",
        words: "admission, admission date, admit date, admitted, anio, annee, ano, aufnahme, aufnahmedatum, \
                behandlungsdatum, date, date admission, date deces, date entree, date of admission, date of death, \
                date of discharge, date sortie, datetime, datum, death date, deathdate, died, discharge, discharge \
                date, eintrittsdatum, encounter date, end date, entlassdatum, entlassung, entlassungsdatum, event \
                date, exam date, fecha, fecha alta, fecha defuncion, fecha ingreso, hire date, horodatage, jahr, \
                purchase date, service date, start date, sterbedatum, time stamp, timestamp, todesdatum, visit \
                date, year, zeitpunkt, zeitstempel",
    },
    VocabularyEntry {
        sense: Sense::QuasiIdentifier,
        idea: "a visible physical trait",
        words: "altura, augenfarbe, bmi, body height, body mass index, body weight, color ojos, color pelo, \
                couleur cheveux, couleur yeux, estatura, eye color, eye colour, gewicht, groesse, haarfarbe, hair \
                color, hair colour, handedness, height, imc, koerpergewicht, koerpergroesse, peso, poids, shoe \
                size, taille, talla, weight",
    },
    VocabularyEntry {
        sense: Sense::QuasiIdentifier,
        idea: "a dwelling or vehicle",
        words: "car, car make, car model, dwelling, fahrzeug, fahrzeugtyp, home ownership, homeowner, housing, \
                logement, vehicle, vehicule, vehiculo, vivienda, wohnform, wohnsituation",
    },
    VocabularyEntry {
        sense: Sense::QuasiIdentifier,
        idea: "a household number",
        words: "familiennummer, family id, family number, haushaltsid, haushaltsnummer, household id, household \
                number, numero hogar, numero menage",
    },
    VocabularyEntry {
        sense: Sense::Institution,
        idea: "a person or institution involved",
        words: "aerztin, agence, agency, amt, apotheke, apothekerin, arzt, aseguradora, assurance, behandler, \
                berater, betreuer, bett, branch, caja, caregiver, case manager, case worker, center, centre, \
                centro, clinic, clinica, clinique, conseiller, consultant, court, doctor, enfermera, \
                etablissement, farmacia, filiale, finanzamt, gericht, gp, gutachter, hausarzt, health insurance, \
                health plan, hopital, hospital, institution, insurance, insurance company, insurer, judge, juez, \
                juge, kasse, klinik, krankenhaus, krankenkasse, lab name, laboratorio, laboratory, lawyer, lehrer, \
                manager, medecin, medico, mutuelle, notary, nurse, office, officer, oficina, pharmacie, \
                pharmacist, pharmacy, physician, practice, practitioner, praxis, prescriber, profesor, provider, \
                richter, room, saal, sachbearbeiter, sala, salle, station, surgeon, tax office, teacher, \
                therapist, tribunal, versicherung, ward, zentrum, zimmer",
    },
    VocabularyEntry {
        sense: Sense::Sensitive,
        idea: "a diagnosis or disease",
        words: "abortion, aids, allergie, allergien, allergies, allergy, behinderung, cancer, causa muerte, cause \
                deces, cause of death, cie, comorbidities, comorbidity, condition, covid, death cause, depression, \
                diabetes, diagnose, diagnosen, diagnoses, diagnosis, diagnostic, diagnostic principal, \
                diagnostico, diagnosticos, disability, disabled, discapacidad, disease, diseases, disorder, dx, \
                embarazada, embarazo, enceinte, enfermedad, enfermedades, erkrankung, etat sante, gesundheit, \
                gesundheitszustand, grossesse, handicap, hauptdiagnose, health, health status, hepatitis, hiv, \
                hypertension, icd, icd code, illness, krankheit, krankheiten, krebs, leiden, maladie, maladies, \
                mental health, nebendiagnose, pregnancy, pregnant, salud, sante, schwanger, schwangerschaft, sida, \
                sintoma, sintomas, std, stroke, symptom, symptome, symptoms, todesursache, tumor, tumour, vih",
    },
    VocabularyEntry {
        sense: Sense::Sensitive,
        idea: "a treatment or medication",
        words: "behandlung, chirurgie, cirugia, dosage, dose, dosis, drug, drugs, eingriff, impfstoff, impfung, \
                medicacion, medicament, medicamento, medicamentos, medicaments, medication, medications, \
                medikament, medikamente, medikation, operation, ordonnance, prescription, procedure, receta, \
                surgery, terapia, therapie, therapy, traitement, tratamiento, treatment, vaccin, vaccination, \
                vaccine, vacuna, verordnung",
    },
    VocabularyEntry {
        sense: Sense::SensitiveAmount,
        idea: "a laboratory or test result",
        words: "befund, befunde, biopsy, blood alcohol, blood pressure, blood type, blutdruck, blutgruppe, \
                blutzucker, cholesterol, dna, ergebnis, gen, gene, genetic, genotype, glucose, groupe sanguin, \
                grupo sanguineo, hba, lab, lab result, lab value, labor, laborwert, laborwerte, outcome, presion \
                arterial, result, resultado, resultados, resultat, resultat analyse, resultats, results, tension \
                arterielle, test result, testergebnis, viral load",
    },
    VocabularyEntry {
        sense: Sense::Sensitive,
        idea: "a substance use or habit",
        words: "addiction, alcohol, alcool, alkohol, alkoholkonsum, drinking, drug use, fumador, fumeur, rauchen, \
                raucher, rauchstatus, smoker, smoking, smoking status, substance use, sucht, tabac, tabaco, \
                tabagisme, tabaquismo",
    },
    VocabularyEntry {
        sense: Sense::SensitiveAmount,
        idea: "an income or wage",
        words: "benefit, benefits, bezuege, bonus, capital gain, capital loss, earnings, einkommen, family income, \
                gehalt, haushaltseinkommen, household income, impot, impuesto, income, income class, income group, \
                ingreso, ingresos, lohn, nomina, pay, payment, pension, pension jubilacion, remuneration, renta, \
                rente, retraite, revenu, revenus, salaire, salario, salary, salary class, sozialhilfe, steuer, \
                sueldo, tax, verdienst, wage, wages",
    },
    VocabularyEntry {
        sense: Sense::SensitiveAmount,
        idea: "wealth or debt",
        words: "account balance, ahorros, assets, balance, bankruptcy, bonitaet, credit, credit bancaire, credit \
                rating, credit score, credito, darlehen, debt, debts, default, dette, dettes, deuda, deudas, \
                epargne, ersparnisse, hipoteca, hypothek, insolvenz, kontostand, kredit, loan, loan amount, \
                mortgage, net worth, patrimoine, patrimonio, prestamo, pret, saldo, savings, schulden, solde, \
                vermoegen, wealth",
    },
    VocabularyEntry {
        sense: Sense::Sensitive,
        idea: "a religion or belief",
        words: "belief, church, confesion, confession, creencia, croyance, denomination, faith, glaube, glauben, \
                konfession, religion, religionszugehoerigkeit, religious",
    },
    VocabularyEntry {
        sense: Sense::Sensitive,
        idea: "a political opinion or union membership",
        words: "gewerkschaft, opinion politica, opinion politique, partei, parteizugehoerigkeit, parti, parti \
                politique, partido, partido politico, party, party affiliation, political, political party, \
                politics, politik, politische einstellung, sindicato, syndicat, trade union, union, union member, \
                vote, voted",
    },
    VocabularyEntry {
        sense: Sense::Sensitive,
        idea: "a sexual orientation",
        words: "orientacion, orientacion sexual, orientation, orientation sexuelle, orientierung, sexual \
                orientation, sexual preference, sexualitaet, sexuality, sexuelle orientierung",
    },
    VocabularyEntry {
        sense: Sense::Sensitive,
        idea: "a crime or conviction",
        words: "antecedentes, antecedentes penales, arrest, casier judiciaire, condamnation, condena, convicted, \
                conviction, crime, crime commis, criminal, criminal record, delito, infraction, offence, offense, \
                recidivism, sentence, strafe, straftat, verbrechen, verurteilung, vorstrafe, vorstrafen",
    },
    VocabularyEntry {
        sense: Sense::SensitiveAmount,
        idea: "a score or judgement about a person",
        words: "beurteilung, bewertung, calificacion, calificaciones, evaluacion, evaluation, gpa, grade, grades, \
                iq, leistung, mark, marks, moyenne, noten, notes scolaires, performance, puntuacion, rating, risk \
                score, schulnote, score, scores",
    },
    VocabularyEntry {
        sense: Sense::Weight,
        idea: "a survey weight",
        words: "design weight, expansion factor, factor elevacion, factor expansion, factor ponderacion, final \
                weight, fnlwgt, gewichtungsfaktor, hochrechnungsfaktor, person weight, poids sondage, ponderacion, \
                ponderation, pweight, replicate weight, sample weight, sampleweight, sampling weight, \
                stichprobengewicht, survey weight",
    },
    VocabularyEntry {
        sense: Sense::Insensitive,
        idea: "a currency or version",
        words: "currency, devise, form version, moneda, questionnaire version, schema version, version, waehrung",
    },
];

/// A person who has to do with something sensitive: `pension_recipient`.
pub(super) const PERSON_INVOLVED: VocabularyEntry =
    VocabularyEntry { sense: Sense::Institution, idea: "a person or institution involved", words: "" };

/// A person-number without a word of its own: `patient_id`, `id_cliente`, `customer no`.
pub(super) const PERSON_NUMBER: VocabularyEntry =
    VocabularyEntry { sense: Sense::PersonNumber, idea: "a number given to each person", words: "" };

/// Words for the person a row is about; together with one of [`NUMBERS`] they make a person number.
pub(super) const PERSONS: &str = "\
     alumno, applicant, asegurado, assure, bene, beneficiary, benutzer, bewohner, borrower, buerger, \
     citizen, citoyen, ciudadano, claimant, client, cliente, clients, cust, customer, debtor, deudor, \
     donor, eleve, empleado, employe, employee, emprunteur, enrollee, estudiante, etudiant, holder, \
     individu, individual, inmate, insured, klient, kreditnehmer, kunde, kunden, member, membre, miembro, \
     mitarbeiter, mitglied, nutzer, paciente, pacientes, participant, participante, pat, patient, \
     patiente, patienten, patients, payer, people, pers, person, persona, personen, personne, persons, \
     prestatario, proband, probanden, recipient, resident, respondent, schueler, schuldner, solicitante, \
     student, subj, subject, taxpayer, teilnehmer, user, usuario, utilisateur, versicherten, \
     versicherter, worker, zahler";

/// Words for a number that distinguishes things.
pub(super) const NUMBERS: &str = "\
     aktenzeichen, az, clave, code, codigo, guid, hash, id, ident, identifiant, identificador, \
     identifier, ids, kennung, key, no, nr, num, number, numero, nummer, pk, pseudonym, ref, reference, \
     referencia, referenz, schluessel, token, uid, uuid";

/// Words of [`NUMBERS`] that also classify: `diagnosis_code` is a diagnosis.
pub(super) const CLASSIFYING: &str = "clave, code, codigo, key, schluessel";

/// Words that speak of an identifier even without saying of what.
pub(super) const BARE_NUMBERS: &str = "\
     guid, id, identifiant, identificador, identifier, ids, kennung, pk, pseudonym, recordid, rowid, \
     uid, uuid";

/// Words for a name of anything: a person's when they stand alone.
pub(super) const BARE_NAMES: &str = "name, namen, names, nom, nombre";

/// Words that put the thing a name is about before them: `age_at_diagnosis` is an age.
pub(super) const PREPOSITIONS: &str =
    "al, at, bei, d, de, del, der, des, desde, du, en, from, in, of, per, por, pro, seit, since, von";
