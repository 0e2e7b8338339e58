package dev.rlm.runner.sandbox;

import dev.rlm.episodes.SetupException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Filter of system calls (seccomp) by the allow list of {@code system-calls.txt}, for one kind of machine each. */
enum SystemCallFilter {
    X86_64("amd64", 0xc000003e, 1, 250),
    ARM64("aarch64", 0xc00000b7, 2, 219);

    // Operations of the kernel's filter machine: on its one register, and on the call's number, architecture and
    // arguments.
    private static final int LOAD = 0x20, JUMP_IF_EQUAL = 0x15, JUMP_FROM = 0x35, JUMP_IF_BITS = 0x45, RETURN = 0x06;
    private static final int NUMBER = 0, ARCHITECTURE = 4, ARGUMENTS = 16;
    private static final int ALLOW = 0x7fff0000, KILL_PROCESS = 0x80000000, EPERM = 0x50001, ENOSYS = 0x50026;
    private static final int OTHER_NUMBERS = 0x40000000; // of x32, and negative ones

    private final String osArch;
    private final int architecture;
    private final int column;

    /** The number of keyctl(2). */
    final int keyctl;

    SystemCallFilter(String osArch, int architecture, int column, int keyctl) {
        this.osArch = osArch;
        this.architecture = architecture;
        this.column = column;
        this.keyctl = keyctl;
    }

    private record Instruction(int operation, int skippedIfTrue, int skippedIfFalse, int operand) {}

    /**
     * Returns the filter of a kind of machine.
     *
     * @param environment whose code it is for, for the message
     * @param osArch as Java calls it
     * @throws SetupException if there is none
     */
    static SystemCallFilter of(String environment, String osArch) {
        return Arrays.stream(values())
                .filter(filter -> filter.osArch.equals(osArch))
                .findFirst()
                .orElseThrow(() -> new SetupException("--env " + environment + " has no sandbox for " + osArch
                        + ", only for "
                        + Arrays.stream(values()).map(filter -> filter.osArch).collect(Collectors.joining(" and "))
                        + ": use such a machine, or run the code without a sandbox by --unsafe-exec"));
    }

    /** Returns the program in the kernel's format. */
    byte[] program() {
        List<Instruction> program = new ArrayList<>(List.of(
                load(ARCHITECTURE),
                new Instruction(JUMP_IF_EQUAL, 1, 0, architecture),
                result(KILL_PROCESS),
                load(NUMBER)));
        verdicts().values().forEach(program::addAll);
        ByteBuffer bytes = ByteBuffer.allocate(8 * program.size()).order(ByteOrder.LITTLE_ENDIAN);
        for (Instruction i : program) {
            bytes.putShort((short) i.operation).put((byte) i.skippedIfTrue).put((byte) i.skippedIfFalse);
            bytes.putInt(i.operand);
        }
        return bytes.array();
    }

    /** The instructions for each range of numbers, by its first; all but the last begin with a jump to the next range. */
    private NavigableMap<Integer, List<Instruction>> verdicts() {
        Map<Integer, List<Instruction>> listed = listed();
        int newest = listed.keySet().stream().max(Integer::compare).orElseThrow();
        NavigableMap<Integer, List<Instruction>> ranges = new TreeMap<>();
        List<Instruction> refused = List.of(result(EPERM));
        List<Instruction> last = List.of();
        for (int number = 0; number <= newest; number++) {
            List<Instruction> verdict = listed.getOrDefault(number, refused);
            if (!verdict.equals(last)) {
                ranges.put(number, verdict);
                last = verdict;
            }
        }
        ranges.put(newest + 1, List.of(result(ENOSYS)));
        ranges.put(OTHER_NUMBERS, refused);
        ranges.replaceAll((first, verdict) -> {
            Integer next = ranges.higherKey(first);
            return next == null
                    ? verdict
                    : Stream.concat(Stream.of(new Instruction(JUMP_FROM, verdict.size(), 0, next)), verdict.stream())
                            .toList();
        });
        return ranges;
    }

    private Map<Integer, List<Instruction>> listed() {
        Map<Integer, List<Instruction>> listed = new HashMap<>();
        try (InputStream in = Objects.requireNonNull(SystemCallFilter.class.getResourceAsStream("system-calls.txt"))) {
            new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .map(line -> List.of(line.split(" ", -1)))
                    .filter(words -> !words.get(column).equals("-"))
                    .forEach(words ->
                            listed.put(Integer.valueOf(words.get(column)), verdict(words.subList(3, words.size()))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return listed;
    }

    private static List<Instruction> verdict(List<String> conditions) {
        if (conditions.contains("ENOSYS")) {
            return List.of(result(ENOSYS));
        }
        List<Instruction> verdict = new ArrayList<>();
        conditions.forEach(condition -> verdict.addAll(check(condition)));
        verdict.add(result(ALLOW));
        return verdict;
    }

    /** Goes on to what follows where the condition holds. Looks at the lower half alone, as the kernel does for these calls. */
    private static List<Instruction> check(String condition) {
        List<Instruction> check = new ArrayList<>();
        check.add(load(ARGUMENTS + 8 * (condition.charAt(0) - '0')));
        boolean wanted = condition.charAt(1) == '=';
        int test = condition.charAt(1) == '&' ? JUMP_IF_BITS : JUMP_IF_EQUAL;
        String[] values = condition.substring(2).split(",", -1);
        for (int left = values.length - 1; left >= 0; left--) {
            int value = Long.decode(values[values.length - 1 - left]).intValue();
            int skippedIfNot = wanted || left > 0 ? 0 : 1;
            check.add(new Instruction(test, wanted ? left + 1 : left, skippedIfNot, value));
        }
        check.add(result(EPERM));
        return check;
    }

    private static Instruction load(int offset) {
        return new Instruction(LOAD, 0, 0, offset);
    }

    private static Instruction result(int verdict) {
        return new Instruction(RETURN, 0, 0, verdict);
    }
}
