import { limits } from '@lightbox/contract/limits.js';
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { type RecordedVoice, recorded, recordingType } from './recorded';

/** Enough for a voice: three minutes are about 700 KB. */
const BITS_PER_SECOND = 32_000;
/** The recorder gives its bytes out in parts of this length. */
const PART_MS = 500;

export type Fault = 'denied' | 'noMicrophone' | 'failed' | 'empty';
type State = 'asking' | 'recording' | 'full' | { fault: Fault };

const faults: Record<string, Fault> = {
  NotAllowedError: 'denied',
  SecurityError: 'denied',
  NotFoundError: 'noMicrophone',
  OverconstrainedError: 'noMicrophone',
};

/** Draws the loudness of a stream, 0…1, into an element by its custom property `--level`. */
function watchLevel(stream: MediaStream, meter: RefObject<HTMLElement | null>): () => void {
  const context = new AudioContext();
  const analyser = context.createAnalyser();
  analyser.fftSize = 512;
  context.createMediaStreamSource(stream).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  let frame = 0;
  const draw = () => {
    analyser.getFloatTimeDomainData(samples);
    const loud = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
    meter.current?.style.setProperty('--level', String(Math.min(1, loud * 5)));
    frame = requestAnimationFrame(draw);
  };
  draw();
  return () => {
    cancelAnimationFrame(frame);
    void context.close();
  };
}

/** Records from the moment it is mounted, up to the longest voice message. Unmounting drops the recording. */
export function useRecorder(meter: RefObject<HTMLElement | null>) {
  const [state, setState] = useState<State>('asking');
  const [seconds, setSeconds] = useState(0);
  const recorder = useRef<MediaRecorder | undefined>(undefined);
  const parts = useRef<Blob[]>([]);
  const length = useRef(0);

  useEffect(() => {
    const stops: (() => void)[] = [];
    let left = false;
    const begin = async () => {
      const type = recordingType();
      if (!type) return setState({ fault: 'failed' });
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      stops.push(() => {
        for (const track of stream.getTracks()) track.stop();
      });
      if (left) return end();
      const now = new MediaRecorder(stream, { mimeType: type.mimeType, audioBitsPerSecond: BITS_PER_SECOND });
      recorder.current = now;
      let bytes = 0;
      const from = performance.now();
      const finish = () => {
        if (now.state !== 'recording') return;
        now.stop();
        setState('full');
      };
      now.ondataavailable = ({ data }) => {
        parts.current.push(data);
        bytes += data.size;
        // Leaves room for what the recorder still holds.
        if (bytes > limits.voiceBytes * 0.95) finish();
      };
      // The microphone was unplugged, or its permission was taken back.
      for (const track of stream.getTracks()) track.onended = finish;
      const timer = setInterval(() => {
        if (now.state !== 'recording') return;
        length.current = (performance.now() - from) / 1_000;
        setSeconds(Math.min(limits.voiceSeconds, length.current));
        if (length.current >= limits.voiceSeconds) finish();
      }, 100);
      stops.push(
        () => clearInterval(timer),
        () => now.state !== 'inactive' && now.stop(),
        watchLevel(stream, meter),
      );
      now.start(PART_MS);
      setState('recording');
    };
    const end = () => {
      for (const stop of stops.splice(0)) stop();
    };
    begin().catch((error: unknown) => {
      end();
      if (!left) setState({ fault: faults[(error as DOMException)?.name] ?? 'failed' });
    });
    return () => {
      left = true;
      end();
    };
  }, [meter]);

  /** Ends the recording and returns it; undefined when nothing was recorded. */
  const take = useCallback(async (): Promise<RecordedVoice | undefined> => {
    const type = recordingType();
    const { current } = recorder;
    if (!type || !current) return undefined;
    if (current.state !== 'inactive') {
      const stopped = new Promise((resolve) => current.addEventListener('stop', resolve, { once: true }));
      current.stop();
      await stopped;
    }
    const bytes = new Blob(parts.current);
    if (bytes.size === 0 || length.current < 0.3) {
      setState({ fault: 'empty' });
      return undefined;
    }
    return recorded(bytes, type.contentType, Math.min(limits.voiceSeconds, Math.round(length.current * 10) / 10));
  }, []);

  return { state, seconds, take };
}
