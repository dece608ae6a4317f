export function UpstreamScreen() {
  return null;
}
