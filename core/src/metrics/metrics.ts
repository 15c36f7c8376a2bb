import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Limits of the buckets, seconds. */
const answerTimes = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const deliveryTimes = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const storeTimes = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120, 600];
const jobTimes = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** The end of a connection to the DICOM receiver. `dropped`: there were too many. */
export type DicomEnd = 'released' | 'rejected' | 'ended' | 'fault' | 'dropped' | 'handshake';

/**
 * The measured values of one process, for `/metrics`. Every label is one of a short list of words of the product: no
 * label names a person, a record or an address.
 */
export class Metrics {
  readonly registry = new Registry();

  private readonly requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer. Routes are patterns.',
    labelNames: ['method', 'route', 'status'],
    buckets: answerTimes,
    registers: [this.registry],
  });

  private readonly deliveries = new Histogram({
    name: 'lightbox_message_delivery_seconds',
    help: 'Time from the moment a message was accepted to its emission to the sockets of its recipient.',
    buckets: deliveryTimes,
    registers: [this.registry],
  });

  private readonly jobs = new Histogram({
    name: 'bullmq_job_duration_seconds',
    help: 'Time that one attempt of a job took.',
    labelNames: ['queue', 'job'],
    buckets: jobTimes,
    registers: [this.registry],
  });

  private readonly failures = new Counter({
    name: 'bullmq_jobs_failed_total',
    help: 'Jobs that failed for good.',
    labelNames: ['queue'],
    registers: [this.registry],
  });

  private readonly dicomConnections = new Counter({
    name: 'lightbox_dicom_connections_total',
    help: 'Connections to the DICOM receiver, by their end.',
    labelNames: ['end'],
    registers: [this.registry],
  });

  private readonly dicomFiles = new Histogram({
    name: 'lightbox_dicom_store_seconds',
    help: 'Time from a C-STORE request to its reply.',
    labelNames: ['status'],
    buckets: storeTimes,
    registers: [this.registry],
  });

  tookRequest(method: string, route: string, status: number, ms: number): void {
    this.requests.observe({ method, route, status }, ms / 1000);
  }

  tookDelivery(ms: number): void {
    // The clocks of two machines may differ by some milliseconds.
    this.deliveries.observe(Math.max(0, ms) / 1000);
  }

  tookJob(queue: string, job: string, ms: number): void {
    this.jobs.observe({ queue, job }, ms / 1000);
  }

  /** Counts jobs that failed for good. With 0 the number is there before the first failure, whose alarm would be lost else. */
  failedJobs(queue: string, count: number): void {
    this.failures.inc({ queue }, count);
  }

  endedDicomConnection(end: DicomEnd): void {
    this.dicomConnections.inc({ end });
  }

  tookDicomFile(status: string, ms: number): void {
    this.dicomFiles.observe({ status }, ms / 1000);
  }

  /** Adds the number of open associations of a receiver, read at each scrape. */
  countAssociations(count: () => number): void {
    new Gauge({
      name: 'lightbox_dicom_associations',
      help: 'Associations that are open.',
      registers: [this.registry],
      collect() {
        this.set(count());
      },
    });
  }

  /** Adds the number of connected sockets of a gateway, read at each scrape. */
  countSockets(count: () => number): void {
    new Gauge({
      name: 'socketio_connected',
      help: 'Sockets that are connected to this gateway.',
      registers: [this.registry],
      collect() {
        this.set(count());
      },
    });
  }
}
