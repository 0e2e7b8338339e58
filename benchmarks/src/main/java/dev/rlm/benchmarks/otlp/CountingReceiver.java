package dev.rlm.benchmarks.otlp;

import dev.rlm.benchmarks.figure.Fork;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An OTLP receiver in a process of its own, which takes everything and counts spans, so that it uses no contender's
 * heap and compiler. It shares the processors, with every contender alike.
 */
final class CountingReceiver implements AutoCloseable {
    private final Process process;
    private final BufferedReader answers;
    private final int httpPort;
    private final int grpcPort;

    CountingReceiver() throws IOException {
        process = new ProcessBuilder(
                        Fork.of("receiver", "256m", CountingReceiver.class).command())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
        httpPort = (int) number();
        grpcPort = (int) number();
    }

    /** The process: says its ports, and then the number of spans for every line; it ends with its input. */
    public static void main(String[] args) throws IOException {
        AtomicLong spans = new AtomicLong();
        try (HttpReceiver http = new HttpReceiver(spans);
                GrpcReceiver grpc = new GrpcReceiver(spans);
                BufferedReader questions =
                        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
            System.out.println(http.port());
            System.out.println(grpc.port());
            while (questions.readLine() != null) {
                System.out.println(spans.get());
            }
        }
    }

    /** Returns the address at which it listens, for one of OTLP's protocols. */
    String endpoint(String protocol) {
        return "http://127.0.0.1:" + (protocol.equals("grpc") ? grpcPort : httpPort);
    }

    /** Returns the number of spans that have arrived so far. */
    long spans() {
        try {
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
            return number();
        } catch (IOException e) {
            throw new IllegalStateException("the receiver does not answer", e);
        }
    }

    private long number() throws IOException {
        String line = answers.readLine();
        if (line == null) {
            throw new IOException("the receiver has gone");
        }
        return Long.parseLong(line);
    }

    @Override
    public void close() {
        process.destroy();
    }
}
