package dev.rlm.gateway;

import dev.rlm.cli.testkit.HostileClientContract;
import dev.rlm.cli.testkit.ScriptedUpstream;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;

/** {@code rlm gateway}, with clients that send what they should not. */
class GatewayHostileTest extends HostileClientContract {
    private final ScriptedUpstream upstream;
    private final List<RunningGateway> started = new ArrayList<>();

    GatewayHostileTest() throws IOException {
        upstream = new ScriptedUpstream(ScriptedUpstream.json("{\"choices\":[]}"));
    }

    @AfterEach
    void stop() throws Exception {
        for (RunningGateway gateway : started) {
            gateway.close();
        }
        upstream.close();
    }

    @Override
    protected Server start() throws Exception {
        RunningGateway gateway = RunningGateway.start(folder, Map.of(), "--upstream", upstream.url());
        started.add(gateway);
        URI url = URI.create(gateway.url() + "/rollout_id/r/chat/completions");
        return new Server(url, Map.of("Content-Type", "application/json"), "{\"model\":\"m\",\"messages\":[]}");
    }
}
