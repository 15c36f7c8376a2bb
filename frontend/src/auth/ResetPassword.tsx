export function ResetPassword() {
  return null;
}
