import { useEffect, useState } from 'react';

/** Returns an object URL for bytes in this tab's memory; revokes it when the bytes change or the component unmounts. */
export function useObjectUrl(blob: Blob | undefined, type = blob?.type): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!blob || !URL.createObjectURL) return;
    const made = URL.createObjectURL(type && type !== blob.type ? new Blob([blob], { type }) : blob);
    setUrl(made);
    return () => {
      URL.revokeObjectURL(made);
      setUrl(undefined);
    };
  }, [blob, type]);
  return url;
}
