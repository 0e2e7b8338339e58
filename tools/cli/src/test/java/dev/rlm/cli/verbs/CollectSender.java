package dev.rlm.cli.verbs;

import dev.rlm.cli.testkit.OtlpJson;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.concurrent.TimeUnit;

/** A sender that may be killed: sends one trace after the other, each in two requests, and says the number of each that was acknowledged. */
final class CollectSender {
    private static final int MOST = 1_000_000; // traces of a sender
    private static final long PAUSE_MILLIS = 50; // before it tries again

    private CollectSender() {}

    /** Takes the address and the sender's number. */
    public static void main(String[] args) throws InterruptedException {
        for (int trace = 0; trace < MOST; ) {
            try {
                send(args[0], Integer.parseInt(args[1]), trace);
                System.out.println(trace);
                trace++;
            } catch (IOException e) {
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        }
    }

    /** Sends a trace; with an exception where it is not acknowledged as a whole. */
    static void send(String url, int sender, int trace) throws IOException, InterruptedException {
        int id = number(sender, trace);
        post(url, OtlpJson.call(id, 2, 1));
        post(url, OtlpJson.call(id, 3, 1), OtlpJson.call(id, 1, 0));
    }

    private static void post(String url, String... spans) throws IOException, InterruptedException {
        HttpResponse<String> response = CollectProcess.post(url, OtlpJson.request(spans));
        if (response.statusCode() != 200) {
            throw new IllegalStateException(response.statusCode() + " " + response.body());
        }
    }

    private static int number(int sender, int trace) {
        return sender * MOST + trace + 1;
    }

    static String id(int sender, int trace) {
        return OtlpJson.runId(number(sender, trace));
    }
}
