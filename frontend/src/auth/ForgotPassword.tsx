export function ForgotPassword() {
  return null;
}
