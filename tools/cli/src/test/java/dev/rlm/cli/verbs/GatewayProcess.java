package dev.rlm.cli.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.launcher.Main;
import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.cli.testkit.GatewayClient;
import java.io.Closeable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code rlm gateway} in a process of its own, and a client of it. */
final class GatewayProcess extends GatewayClient implements Closeable {
    private static final Pattern LISTENING = Pattern.compile("listening on (http://\\S+?:\\d+)");

    private final RlmProcess rlm;

    private GatewayProcess(Path folder, RlmProcess rlm) throws Exception {
        super(folder, awaitUrl(rlm));
        this.rlm = rlm;
    }

    private static String awaitUrl(RlmProcess rlm) throws Exception {
        await().atMost(PATIENCE)
                .until(() ->
                        LISTENING.matcher(rlm.err()).find() || !rlm.process().isAlive());
        Matcher said = LISTENING.matcher(rlm.err());
        assertThat(said.find()).as(rlm.err()).isTrue();
        return said.group(1);
    }

    static GatewayProcess start(Path folder, Map<String, String> variables, String... options) throws Exception {
        return start(folder, variables, List.of(), options);
    }

    static GatewayProcess start(Path folder, Map<String, String> variables, List<String> java, String... options)
            throws Exception {
        List<String> arguments = new ArrayList<>(List.of("gateway", "--port", "0"));
        arguments.addAll(List.of(options));
        return new GatewayProcess(
                folder,
                RlmProcess.start(folder, variables, java, Main.class.getName(), arguments.toArray(String[]::new)));
    }

    RlmProcess rlm() {
        return rlm;
    }

    void kill() throws Exception {
        rlm.process().destroyForcibly();
        assertThat(rlm.process().waitFor()).isEqualTo(137);
    }

    void stop() throws Exception {
        rlm.process().destroy();
        assertThat(rlm.process().waitFor()).isEqualTo(143);
    }

    @Override
    public void close() {
        rlm.close();
    }
}
