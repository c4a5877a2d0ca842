//! Thrift's compact protocol, read for its numbers alone: nothing is made room for.

/// A field of a structure, and a field of the structure in it; 0 for the field itself.
pub(super) type FieldKey = (i16, i16);

/// The numbers of a structure and of the structures in it.
#[derive(Default)]
pub(super) struct ThriftNumbers {
    found: Vec<(FieldKey, i64)>,
    /// The length of the list in the second field.
    pub(super) second_list: usize,
    /// How long the structure is.
    pub(super) bytes: usize,
}

impl ThriftNumbers {
    /// The numbers of the structure that these bytes begin with; nothing when it does not end in them.
    pub(super) fn read(bytes: &[u8]) -> Option<ThriftNumbers> {
        let (mut numbers, mut rest) = (ThriftNumbers::default(), bytes);
        numbers.structure(&mut rest, 0, None)?;
        numbers.bytes = bytes.len() - rest.len();
        Some(numbers)
    }

    pub(super) fn get(&self, key: FieldKey) -> Option<i64> {
        self.found.iter().find(|(other, _)| *other == key).map(|(_, number)| *number)
    }

    fn structure(&mut self, bytes: &mut &[u8], depth: usize, outer: Option<i16>) -> Option<()> {
        let mut field = 0i16;
        loop {
            let head = byte(bytes)?;
            if head == 0 {
                return Some(());
            }
            field =
                if head >> 4 == 0 { zigzag(bytes)?.try_into().ok()? } else { field.checked_add((head >> 4).into())? };
            let note = match (depth, outer) {
                (0, _) => Some((field, 0)),
                (1, Some(outer)) => Some((outer, field)),
                _ => None,
            };
            self.value(bytes, head & 15, depth, note)?;
        }
    }

    /// Passes over a value, and notes it if it is a number.
    fn value(&mut self, bytes: &mut &[u8], kind: u8, depth: usize, note: Option<FieldKey>) -> Option<()> {
        let number = match kind {
            1 | 2 => i64::from(kind == 1),
            3 => byte(bytes)?.into(),
            4..=6 => zigzag(bytes)?,
            _ => return self.longer_value(bytes, kind, depth, note),
        };
        self.found.extend(note.map(|key| (key, number)));
        Some(())
    }

    fn longer_value(&mut self, bytes: &mut &[u8], kind: u8, depth: usize, note: Option<FieldKey>) -> Option<()> {
        if depth > 24 {
            return None;
        }
        let pass = |bytes: &mut &[u8], size: u64| -> Option<()> {
            *bytes = bytes.get(usize::try_from(size).ok()?..)?;
            Some(())
        };
        // Each element of a list has a byte or more, so one that is too long ends where the bytes do.
        match kind {
            7 => pass(bytes, 8),
            13 => pass(bytes, 16),
            8 => varint(bytes).and_then(|size| pass(bytes, size)),
            12 => self.structure(bytes, depth + 1, note.map(|key| key.0)),
            9 | 10 => {
                let head = byte(bytes)?;
                let size = if head >> 4 == 15 { varint(bytes)? } else { (head >> 4).into() };
                let size = usize::try_from(size).ok()?;
                if note == Some((2, 0)) {
                    self.second_list = size;
                }
                (0..size).try_for_each(|_| self.element(bytes, head & 15, depth))
            }
            11 => {
                let size = varint(bytes)?;
                let kinds = if size > 0 { byte(bytes)? } else { 0 };
                (0..size).try_for_each(|_| {
                    self.element(bytes, kinds >> 4, depth)?;
                    self.element(bytes, kinds & 15, depth)
                })
            }
            _ => None,
        }
    }

    /// In a list a boolean has a byte of its own.
    fn element(&mut self, bytes: &mut &[u8], kind: u8, depth: usize) -> Option<()> {
        // Two levels further in nothing is noted.
        let kind = if kind == 2 || kind == 1 { 3 } else { kind };
        self.value(bytes, kind, depth.max(1) + 1, None)
    }
}

fn byte(bytes: &mut &[u8]) -> Option<u8> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(*first)
}

pub(super) fn varint(bytes: &mut &[u8]) -> Option<u64> {
    (0..10)
        .try_fold((0u64, true), |(number, more), place| {
            if !more {
                return Some((number, false));
            }
            let next = byte(bytes)?;
            Some((number | u64::from(next & 0x7f).checked_shl(7 * place)?, next & 0x80 != 0))
        })
        .and_then(|(number, more)| (!more).then_some(number))
}

pub(super) fn zigzag(bytes: &mut &[u8]) -> Option<i64> {
    varint(bytes).map(|number| (number >> 1).cast_signed() ^ -(number & 1).cast_signed())
}

#[cfg(test)]
mod tests;
