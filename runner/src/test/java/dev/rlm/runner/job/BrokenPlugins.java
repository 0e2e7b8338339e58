package dev.rlm.runner.job;

import dev.rlm.episodes.Environment;
import dev.rlm.episodes.EnvironmentProvider;
import dev.rlm.episodes.Sample;
import dev.rlm.episodes.SampleRequest;
import dev.rlm.episodes.Samples;
import dev.rlm.runner.demo.CalcEnvironmentProvider;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** Environments as nobody wants them from a plug-in; but for that they are calc. */
final class BrokenPlugins {
    private BrokenPlugins() {}

    /** Of another name, and otherwise calc. */
    abstract static class Calc implements EnvironmentProvider {
        private final CalcEnvironmentProvider calc = new CalcEnvironmentProvider(true);
        private final String name;

        Calc(String name) {
            this.name = name;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public Samples samples(SampleRequest request) {
            return calc.samples(request);
        }

        @Override
        public Environment create(Sample sample) {
            return calc.create(sample);
        }

        static void hang() {
            for (CountDownLatch never = new CountDownLatch(1); ; ) {
                try {
                    never.await();
                } catch (InterruptedException e) {
                    // heeds nothing
                }
            }
        }
    }

    public static final class Throwing extends Calc {
        public Throwing() {
            super("throwing");
            throw new IllegalStateException("not today");
        }
    }

    public static final class Nameless extends Calc {
        public Nameless() {
            super("No Name");
        }
    }

    public static final class First extends Calc {
        public First() {
            super("twin");
        }
    }

    public static final class Second extends Calc {
        public Second() {
            super("twin");
        }
    }

    public static final class HangingInConstructor extends Calc {
        public HangingInConstructor() {
            super("stuck");
            hang();
        }
    }

    public static final class HangingInOpen extends Calc {
        public HangingInOpen() {
            super("hanging");
        }

        @Override
        public void open(Map<String, String> settings) {
            hang();
        }
    }

    public static final class ThrowingInOpen extends Calc {
        public ThrowingInOpen() {
            super("refusing");
        }

        @Override
        public void open(Map<String, String> settings) {
            throw new NoClassDefFoundError("com/example/Missing");
        }
    }

    public static final class ThrowingInClose extends Calc {
        public ThrowingInClose() {
            super("leaving");
        }

        @Override
        public void close() {
            throw new StackOverflowError();
        }
    }
}
