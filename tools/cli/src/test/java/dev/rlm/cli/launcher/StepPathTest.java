package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Counts the types that the end of a step meets on its way to the disk: a debugger tells whose methods are entered. */
class StepPathTest {
    private static final int MOST = 35; // without those of redaction
    private static final Pattern ON_THE_WAY = Pattern.compile("main|rlm-sink-jsonl");
    private static final Pattern NOT_COUNTED = Pattern.compile("\\.redaction\\.|\\$\\$Lambda");

    private final Set<String> types = new TreeSet<>();

    @TempDir
    private Path folder;

    @Test
    @Timeout(120)
    void stepComplete_meetsFewTypes_onItsWayToTheDisk() throws Exception {
        VirtualMachine program = launch();
        try {
            watch(program);
        } finally {
            program.process().destroyForcibly().waitFor();
        }
        assertThat(types)
                .contains("dev.rlm.sinks.event.StepEnded", "dev.rlm.sinks.jsonl.JournalWriter")
                .hasSizeLessThanOrEqualTo(MOST);
    }

    private VirtualMachine launch() throws Exception {
        LaunchingConnector connector = Bootstrap.virtualMachineManager().defaultConnector();
        Map<String, Connector.Argument> arguments = connector.defaultArguments();
        Objects.requireNonNull(arguments.get("main")).setValue(OneStep.class.getName() + " \"" + folder + '"');
        Objects.requireNonNull(arguments.get("options"))
                .setValue("-cp \"" + System.getProperty("java.class.path") + '"');
        return connector.launch(arguments);
    }

    private void watch(VirtualMachine program) throws Exception {
        ClassPrepareRequest prepared = program.eventRequestManager().createClassPrepareRequest();
        prepared.addClassFilter(OneStep.class.getName());
        prepared.enable();
        MethodEntryRequest entries = program.eventRequestManager().createMethodEntryRequest();
        entries.addClassFilter("dev.rlm.sinks.*");
        entries.setSuspendPolicy(EventRequest.SUSPEND_NONE);
        boolean over = false;
        while (!over) {
            EventSet events = program.eventQueue().remove();
            for (Event event : events) {
                if (event instanceof ClassPrepareEvent known) {
                    stopAt("begin", known.referenceType());
                    stopAt("end", known.referenceType());
                } else if (event instanceof BreakpointEvent) {
                    over = entries.isEnabled();
                    entries.setEnabled(!over);
                } else if (event instanceof MethodEntryEvent entry) {
                    count(entry);
                }
            }
            events.resume();
        }
    }

    private static void stopAt(String method, ReferenceType type) {
        type.virtualMachine()
                .eventRequestManager()
                .createBreakpointRequest(type.methodsByName(method).get(0).location())
                .enable();
    }

    private void count(MethodEntryEvent entry) {
        String type = entry.method().declaringType().name();
        if (ON_THE_WAY.matcher(entry.thread().name()).matches()
                && !NOT_COUNTED.matcher(type).find()) {
            types.add(type);
        }
    }
}
