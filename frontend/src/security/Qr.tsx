import { QrCode } from '@chakra-ui/react';

/**
 * A QR code, drawn in the browser, so that the secret is sent to no service. Dark on white in both themes, for cameras.
 */
export function Qr({ value, label }: { value: string; label: string }) {
  return (
    <QrCode.Root value={value} bg="white" p="3" borderRadius="box" w="fit-content">
      <QrCode.Frame role="img" aria-label={label} w="176px" h="176px">
        <QrCode.Pattern fill="black" />
      </QrCode.Frame>
    </QrCode.Root>
  );
}
