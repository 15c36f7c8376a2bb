export function VerifyAccount() {
  return null;
}
