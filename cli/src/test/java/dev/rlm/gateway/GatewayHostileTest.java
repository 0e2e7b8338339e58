package dev.rlm.gateway;

import dev.rlm.cli.launcher.HostileClientContract;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/** {@code rlm gateway} in a small heap, with clients that send what they should not. */
@Tag("thorough")
class GatewayHostileTest extends HostileClientContract {
    private final ScriptedUpstream upstream;
    private final List<GatewayProcess> started = new ArrayList<>();

    GatewayHostileTest() throws IOException {
        upstream = new ScriptedUpstream(ScriptedUpstream.json("{\"choices\":[]}"));
    }

    @AfterEach
    void stop() throws IOException {
        started.forEach(GatewayProcess::close);
        upstream.close();
    }

    @Override
    protected Server start(List<String> options) throws Exception {
        GatewayProcess gateway = GatewayProcess.start(folder, Map.of(), options, "--upstream", upstream.url());
        started.add(gateway);
        URI url = URI.create(gateway.url() + "/rollout_id/r/chat/completions");
        return new Server(
                gateway.rlm(), url, Map.of("Content-Type", "application/json"), "{\"model\":\"m\",\"messages\":[]}");
    }

    @Override
    protected byte[] costlyBody(int size) {
        return ("{\"model\":\"m\",\"messages\":[" + "{},".repeat(size / 3) + "{}]}").getBytes(StandardCharsets.UTF_8);
    }
}
