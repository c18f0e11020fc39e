BEGIN TRANSACTION;
CREATE TABLE appointments (
	id INTEGER NOT NULL, 
	code VARCHAR(16) NOT NULL, 
	study VARCHAR NOT NULL, 
	rig VARCHAR NOT NULL, 
	begins_utc VARCHAR NOT NULL, 
	minutes INTEGER NOT NULL, 
	revision INTEGER NOT NULL, 
	came_utc VARCHAR, 
	PRIMARY KEY (id), 
	FOREIGN KEY(code) REFERENCES people (code)
);
CREATE TABLE assignments (
	id INTEGER NOT NULL, 
	code VARCHAR(16) NOT NULL, 
	study VARCHAR NOT NULL, 
	pack_id VARCHAR NOT NULL, 
	purpose VARCHAR NOT NULL, 
	rig VARCHAR NOT NULL, 
	list VARCHAR NOT NULL, 
	"order" VARCHAR NOT NULL, 
	assigned_utc VARCHAR NOT NULL, 
	accept_side VARCHAR, 
	PRIMARY KEY (id), 
	FOREIGN KEY(code) REFERENCES people (code)
);
INSERT INTO "assignments" VALUES(1,'ZPRMYSM','preferences','4a44e2ca7467d8e915e1ea473cc415ad','robot','simulation','list2','all','2000-01-01T00:00:00.000000Z',NULL);
CREATE TABLE choices (
	id INTEGER NOT NULL, 
	code VARCHAR(16) NOT NULL, 
	name VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	session VARCHAR(120), 
	chosen_utc VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(code) REFERENCES people (code)
);
CREATE TABLE consents (
	id INTEGER NOT NULL, 
	code VARCHAR(16) NOT NULL, 
	session VARCHAR(120), 
	text VARCHAR NOT NULL, 
	version VARCHAR NOT NULL, 
	sha256 VARCHAR(64) NOT NULL, 
	language VARCHAR NOT NULL, 
	agreed BOOLEAN NOT NULL, 
	answered_utc VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(code) REFERENCES people (code)
);
INSERT INTO "consents" VALUES(1,'ZPRMYSM','20000101T000000Z-ZPRMYSM','consent','1.0','f96ff9bb3bbc173dc0cdea0ea8a993562d36962ee86c24197434191b2e0fc5d0','en',1,'2000-01-01T00:00:08.000000Z');
INSERT INTO "consents" VALUES(2,'ZPRMYSM','20000101T000000Z-ZPRMYSM','consent_renewed','1.1','a3c9e7b5ebe554dc2838bebaafabed18908dae6222fade471310709d842f198c','en',1,'2000-01-01T00:00:41.416667Z');
CREATE TABLE demographics (
	code VARCHAR(16) NOT NULL, 
	age_band VARCHAR, 
	glasses VARCHAR, 
	acuity VARCHAR, 
	language VARCHAR, 
	answered_utc VARCHAR NOT NULL, 
	gender VARCHAR, 
	PRIMARY KEY (code), 
	FOREIGN KEY(code) REFERENCES people (code)
);
CREATE TABLE exported (
	export_id INTEGER NOT NULL, 
	code VARCHAR(16) NOT NULL, 
	PRIMARY KEY (export_id, code), 
	FOREIGN KEY(export_id) REFERENCES exports (id)
);
CREATE TABLE exports (
	id INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	place VARCHAR NOT NULL, 
	purpose VARCHAR NOT NULL, 
	made_utc VARCHAR NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY ("key")
);
INSERT INTO "meta" VALUES('schema','registry/1.0');
CREATE TABLE notes (
	id INTEGER NOT NULL, 
	code VARCHAR(16), 
	kind VARCHAR NOT NULL, 
	text VARCHAR NOT NULL, 
	noted_utc VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT kind_known CHECK (kind IN ('incident', 'compensation', 'note')), 
	FOREIGN KEY(code) REFERENCES people (code)
);
CREATE TABLE payments (
	id INTEGER NOT NULL, 
	code VARCHAR(16), 
	session VARCHAR(120), 
	study VARCHAR NOT NULL, 
	cents INTEGER NOT NULL, 
	currency VARCHAR(3) NOT NULL, 
	paid_utc VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(code) REFERENCES people (code)
);
CREATE TABLE people (
	code VARCHAR(16) NOT NULL, 
	role VARCHAR NOT NULL, 
	purpose VARCHAR NOT NULL, 
	axis VARCHAR, 
	rung INTEGER, 
	enrolled_utc VARCHAR NOT NULL, 
	PRIMARY KEY (code), 
	CONSTRAINT role_known CHECK (role IN ('lead', 'expert', 'participant')), 
	CONSTRAINT axis_with_rung CHECK ((axis IS NULL) = (rung IS NULL))
);
INSERT INTO "people" VALUES('ZPRMYSM','participant','robot',NULL,NULL,'2000-01-01T00:00:00.000000Z');
CREATE TABLE screenings (
	id INTEGER NOT NULL, 
	code VARCHAR(16) NOT NULL, 
	session VARCHAR(120), 
	procedure VARCHAR NOT NULL, 
	result VARCHAR NOT NULL, 
	screened_utc VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT procedure_known CHECK (procedure IN ('trivector', 'd15', 'ishihara', 'titration', 'decision', 'by_hand')), 
	FOREIGN KEY(code) REFERENCES people (code)
);
CREATE TABLE sessions (
	session VARCHAR(120) NOT NULL, 
	code VARCHAR(16) NOT NULL, 
	study VARCHAR NOT NULL, 
	pack_id VARCHAR NOT NULL, 
	purpose VARCHAR NOT NULL, 
	rig VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	trials_done INTEGER NOT NULL, 
	started_utc VARCHAR NOT NULL, 
	heard_utc VARCHAR NOT NULL, 
	ended_utc VARCHAR, 
	disqualified_utc VARCHAR, 
	lease_until_utc VARCHAR, 
	lease_pc VARCHAR(16), 
	journal_lines INTEGER, 
	journal_chain VARCHAR(64), 
	data_folder VARCHAR(16), 
	PRIMARY KEY (session), 
	CONSTRAINT state_known CHECK (state IN ('running', 'stopped', 'complete')), 
	FOREIGN KEY(code) REFERENCES people (code)
);
INSERT INTO "sessions" VALUES('20000101T000000Z-ZPRMYSM','ZPRMYSM','preferences','4a44e2ca7467d8e915e1ea473cc415ad','robot','simulation','complete',8,'2000-01-01T00:00:00.000000Z','2000-01-01T00:00:49.416667Z','2000-01-01T00:00:49.416667Z',NULL,NULL,NULL,48,'967a35d5613e68df8ffdba02e0eba441ce15af6e2298e7a67f9dde16c980c431','0cce2e82f4afe06d');
CREATE TABLE takeovers (
	id INTEGER NOT NULL, 
	session VARCHAR(120) NOT NULL, 
	from_rig VARCHAR NOT NULL, 
	to_rig VARCHAR NOT NULL, 
	reason VARCHAR NOT NULL, 
	taken_utc VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(session) REFERENCES sessions (session)
);
CREATE TABLE withdrawals (
	code VARCHAR(16) NOT NULL, 
	withdrawn_utc VARCHAR NOT NULL, 
	PRIMARY KEY (code)
);
CREATE UNIQUE INDEX one_assignment_a_pack ON assignments (code, pack_id, purpose);
CREATE INDEX sessions_of_a_code ON sessions (code);
CREATE INDEX consents_of_a_code ON consents (code);
CREATE INDEX screenings_of_a_code ON screenings (code);
CREATE INDEX choices_of_a_code ON choices (code);
CREATE INDEX notes_of_a_code ON notes (code);
CREATE INDEX payments_of_a_code ON payments (code);
CREATE INDEX appointments_of_a_code ON appointments (code);
CREATE INDEX exported_of_a_code ON exported (code);
CREATE INDEX takeovers_of_a_session ON takeovers (session);
COMMIT;
