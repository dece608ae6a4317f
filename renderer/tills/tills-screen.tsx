export function TillsScreen() {
  return null;
}
