package dev.rlm.sinks.core;

import dev.rlm.sinks.event.Place;

/** Base of the handles of work that sinks hear of. What its event will tell is guarded by the run's lock. */
abstract class LiveWork extends OpenWork implements LiveActivity {
    final RunRecorder run;
    private final LivePlace place;

    LiveWork(RunRecorder run, LivePlace outer, Place.Work work) {
        super(work);
        this.run = run;
        this.place = outer.with(work);
    }

    @Override
    public final RunRecorder recorder() {
        return run;
    }

    @Override
    public final LivePlace place() {
        return place;
    }

    @Override
    public final long spanSeq() {
        return work.seq();
    }
}
