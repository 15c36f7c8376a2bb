export function ApproveProvider() {
  return null;
}
