package dev.rlm.cli.verbs;

import dev.rlm.cli.testkit.ScriptedUpstream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/** {@code rlm gateway} in a small heap. */
@Tag("thorough")
class GatewaySmallHeapTest extends SmallHeapContract {
    private final ScriptedUpstream upstream;

    GatewaySmallHeapTest() throws IOException {
        upstream = new ScriptedUpstream(ScriptedUpstream.json("{\"choices\":[]}"));
    }

    @AfterEach
    void stop() throws IOException {
        upstream.close();
    }

    @Override
    Server start() throws Exception {
        String url = startServer(Map.of(), "gateway", "--port", "0", "--upstream", upstream.url());
        Map<String, String> headers = Map.of("Content-Type", "application/json");
        return new Server(
                URI.create(url + "/rollout_id/r/chat/completions"), headers, "{\"model\":\"m\",\"messages\":[]}");
    }

    @Override
    byte[] costlyBody(int size) {
        return ("{\"model\":\"m\",\"messages\":[" + "{},".repeat(size / 3) + "{}]}").getBytes(StandardCharsets.UTF_8);
    }
}
