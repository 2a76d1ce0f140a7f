//! A value that the host is told of when it has changed.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Setting<T> {
    value: T,
    /// What the host was told last, `None` before the first time.
    told: Option<T>,
}

impl<T: Copy + PartialEq> Setting<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self { value, told: None }
    }

    pub(crate) const fn value(&self) -> T {
        self.value
    }

    pub(crate) fn set(&mut self, value: T) {
        self.value = value;
    }

    /// The value, if the host does not know it; it does from now on.
    pub(crate) fn untold(&mut self) -> Option<T> {
        if self.told == Some(self.value) {
            return None;
        }
        self.told = Some(self.value);
        self.told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_latest_change_is_told() {
        let mut setting = Setting::new(1);
        assert_eq!(setting.untold(), Some(1));
        assert_eq!(setting.untold(), None);
        setting.set(2);
        setting.set(3);
        assert_eq!(setting.untold(), Some(3));
        setting.set(2);
        setting.set(3);
        assert_eq!(setting.untold(), None);
        assert_eq!(setting.value(), 3);
    }
}
