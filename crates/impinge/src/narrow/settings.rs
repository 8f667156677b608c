//! Parameters of engines as text: `name=value&name=value`.

/// Hands each parameter of `text` (may be empty) to `set`; none may come twice.
pub(super) fn read<'a>(
    text: &'a str,
    mut set: impl FnMut(&'a str, &'a str) -> Result<(), String>,
) -> Result<(), String> {
    let mut given: Vec<&str> = Vec::new();
    for item in text.split('&').filter(|item| !item.is_empty()) {
        let (name, value) = item
            .split_once('=')
            .ok_or_else(|| format!("`{item}` sets nothing; NAME=VALUE is needed"))?;
        if given.contains(&name) {
            return Err(format!("`{name}` is set twice"));
        }
        given.push(name);
        set(name, value)?;
    }
    Ok(())
}
