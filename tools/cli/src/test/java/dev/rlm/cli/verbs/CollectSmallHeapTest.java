package dev.rlm.cli.verbs;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Tag;

/** {@code rlm collect} in a small heap. */
@Tag("thorough")
class CollectSmallHeapTest extends SmallHeapContract {
    @Override
    Server start() throws Exception {
        String url = startServer(Map.of(), "collect", "--port", "0", "--quiet-time", "200ms");
        Map<String, String> headers = Map.of("Content-Type", "application/json");
        return new Server(URI.create(url + "/v1/traces"), headers, "{\"resourceSpans\":[]}");
    }

    @Override
    byte[] costlyBody(int size) {
        return ("{\"resourceSpans\":[" + "{},".repeat(size / 3) + "{}]}").getBytes(StandardCharsets.UTF_8);
    }
}
