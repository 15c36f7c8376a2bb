import { QrCode } from '@chakra-ui/react';

/** Drawn in the browser: the secret goes to no one. Dark on white by day and by night, for cameras. */
export function Qr({ value, label }: { value: string; label: string }) {
  return (
    <QrCode.Root value={value} bg="white" p="3" borderRadius="box" w="fit-content">
      <QrCode.Frame role="img" aria-label={label} w="176px" h="176px">
        <QrCode.Pattern fill="black" />
      </QrCode.Frame>
    </QrCode.Root>
  );
}
