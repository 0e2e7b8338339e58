package dev.rlm.sinks.otel.backend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Where back ends of tests listen. */
@EnabledOnOs(OS.LINUX)
class BackendAddressTest {
    private static final Path HANDED_OUT = Path.of("/proc/sys/net/ipv4/ip_local_port_range");

    @Test
    void ports_areNoneThatTheSystemHandsOut() throws Exception {
        int lowest;
        try (BufferedReader range =
                Files.newBufferedReader(HANDED_OUT)) { // the kernel gives it in one piece or in part
            lowest = Integer.parseInt(range.readLine().split("\\s+", -1)[0]);
        }
        List<Port> ports =
                IntStream.range(0, 50).mapToObj(i -> new Port("PORT" + i, 1)).toList();

        BackendAddress place = BackendAddress.free("", ports);

        assertThat(ports).extracting(place::port).doesNotHaveDuplicates().allMatch(port -> port < lowest);
    }
}
