export function RecordsScreen() {
  return null;
}
