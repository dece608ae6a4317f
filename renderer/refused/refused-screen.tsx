export function RefusedScreen() {
  return null;
}
